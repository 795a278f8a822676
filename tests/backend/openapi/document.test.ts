import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'

type Operation = {
  summary?: string
  description?: string
  'x-permission'?: string
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<
    string,
    { description: string; content?: Record<string, { example?: unknown }>; headers?: object }
  >
}

let ctx: TestContext
let service: ReturnType<typeof api>
let paths: Record<string, Record<string, Operation>>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  paths = (await service.anonymous.get('/swagger/json')).body.paths
})
afterAll(() => ctx.close())

/** Every route of the service but those that show the document. */
const routes = () => service.app.routes.filter((route) => !route.path.startsWith('/swagger'))

test('the document validates as OpenAPI 3.0', async () => {
  const { body } = await service.anonymous.get('/swagger/json')
  const result = await new Validator().validate(body)
  expect(result).toEqual({ valid: true })
})

test('every route is in the document, with a sentence, its permission, its errors and an example', () => {
  expect(routes().length).toBeGreaterThan(40)
  for (const { method, path } of routes()) {
    const documented = path.replace(/(.)\/$/, '$1').replace(/:([a-z_]+)/g, '{$1}')
    const operation = paths[documented]?.[method.toLowerCase()]
    expect(operation, `${method} ${path}`).toBeDefined()
    expect(operation?.summary, `${method} ${path}`).toMatch(/\w/)
    expect(operation?.['x-permission'], `${method} ${path}`).toMatch(/\w/)
    expect(operation?.description, `${method} ${path}`).toContain(
      `Permission: ${operation?.['x-permission']}.`,
    )
    const success = Object.entries(operation?.responses ?? {}).filter(
      ([status]) => /^[23]/.test(status) && status !== '304',
    )
    expect(success.length, `${method} ${path}`).toBe(1)
    const [status, answer] = success[0] ?? []
    if (status === '302') expect(answer?.headers, `${method} ${path}`).toHaveProperty('Location')
    else if (status !== '204')
      expect(Object.values(answer?.content ?? {})[0]?.example, `${method} ${path}`).toBeDefined()
    if (operation?.requestBody) {
      expect(operation.requestBody.content['application/json']?.example, `${method} ${path}`).toBeDefined()
    }
    if (operation?.['x-permission'] !== 'none')
      expect(operation?.responses['401'], `${method} ${path}`).toBeDefined()
  }
})

test('the example of every request body has the right shape', () => {
  let examples = 0
  for (const { method, path, hooks } of routes()) {
    const documented = path.replace(/(.)\/$/, '$1').replace(/:([a-z_]+)/g, '{$1}')
    const example =
      paths[documented]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.example
    if (example === undefined) continue
    examples++
    const faults = [...Value.Errors(hooks.body as TSchema, example)].map((fault) => fault.message)
    expect({ route: `${method} ${path}`, example, faults }).toEqual({
      route: `${method} ${path}`,
      example,
      faults: [],
    })
  }
  expect(examples).toBeGreaterThan(20)
})

test('the content type of a success is the one that is sent', async () => {
  const open = routes().filter(
    ({ method, path }) =>
      method === 'GET' && paths[path.replace(/(.)\/$/, '$1')]?.get?.['x-permission'] === 'none',
  )
  expect(open.length).toBeGreaterThan(2)
  for (const { path } of open) {
    const types = Object.keys(paths[path.replace(/(.)\/$/, '$1')]?.get?.responses['200']?.content ?? {})
    const sent = (await service.anonymous.get(path)).headers.get('content-type') ?? ''
    expect({ path, types }).toEqual({ path, types: [sent.replace(/^(application\/json);.*$/, '$1')] })
  }
})

test('the page and what it loads come from this service alone', async () => {
  const page = await service.anonymous.get('/swagger')
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(page.body).not.toContain('//cdn')
  const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)
  expect(loaded).toContainEqual(expect.stringMatching(/\.js$/))
  for (const path of loaded) {
    expect((await service.anonymous.get(path)).status, path).toBe(200)
  }
})

test('an exported file has the content type of its format, and examples have the shape of what is answered', () => {
  const content = paths['/v1/secrets/export']?.get?.responses[200]?.content ?? {}
  expect(Object.keys(content)).toEqual(['text/plain', 'application/yaml', 'application/json'])
  const { example } = paths['/v1/apps']?.get?.responses[200]?.content?.['application/json'] ?? {}
  const { data } = example as { data: { environments: object[] }[] }
  expect(data[0]?.environments[0]).toMatchObject({ id: expect.any(String), name: expect.any(String) })
})
