import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes, randomUUID } from 'node:crypto'
import { Kind, type TSchema } from '@sinclair/typebox'
import { createApp } from '../../../src/backend/app.ts'
import type { Context } from '../../../src/context.ts'
import { api } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { member, type Person, serviceAccount, session } from '../../support/people.ts'
import { sealedSecret, secretsOf } from '../../support/secrets.ts'
import { newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'

type Route = { method: string; path: string; hooks: { body?: TSchema; query?: TSchema } }
type Schema = TSchema & Record<string, unknown>

const logged = recordedLog()
let ctx: TestContext
let ada: Person & { session: string; cookie: string }
let service: ReturnType<typeof api>
let routes: Route[]
/** What exists, for each place in a path. */
let ids: Record<string, string>

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api({ ...ctx, log: logged.log })
  const email = newEmail()
  await register(service, { email })
  const { cookie, token } = await signIn(service, email, PASSWORD)
  const me = (await service.as(token).get('/v1/me')).body
  ada = { id: me.id, userId: me.userId, token, session: token, cookie }
  routes = (service.app.routes as unknown as Route[]).filter(({ path }) => !path.startsWith('/swagger'))
  const made = await app(ctx)
  ids = {
    '/v1/roles': (await service.as(token).post('/v1/roles', { name: 'Own', permissions: nothing })).body.id,
    '/v1/members': (await member(ctx, 'developer')).id,
    '/v1/service-accounts': (await serviceAccount(ctx, 'developer')).id,
    '/v1/apps': made.id,
    '/v1/environments': made.environments[0]?.id ?? '',
  }
  const secrets = secretsOf(service.as(token), made.environments[0]?.id ?? '')
  ids['/v1/secrets'] = (await secrets('POST', [sealedSecret('ONE')])).body[0].id
})
afterAll(() => ctx.close())

const nothing = { permissions: {}, app_permissions: {} }

/** Past the checks of every answer: whether a body changes anything, and so leaves an entry, is chance here. */
const send = async (method: string, path: string, body: unknown) => {
  const response = await service.app.handle(
    new Request(`http://localhost${path}`, {
      method,
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
      headers: {
        cookie: ada.cookie,
        environment: ids['/v1/environments'] ?? '',
        'content-type': 'application/json',
        // Routes that take the cookie alone don't look at it.
        authorization: `Bearer ${ada.session}`,
      },
    }),
  )
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
}

const pathOf = (path: string): string => {
  const id = ids[path.split('/').slice(0, 3).join('/')] ?? randomUUID()
  return `${path.replace(':id', id).replace(/:[a-z_]+/, randomUUID())}?app_id=${ids['/v1/apps']}`
}

const HOSTILE: unknown[] = [
  { toString: 'x' },
  { toString: null, valueOf: null },
  [{ toString: 'x' }],
  { toJSON: 1, constructor: { name: 1 }, length: -1 },
  { hasOwnProperty: 1, error: { toString: 0 } },
  [[]],
  [null],
  1e308,
  -0.5,
  true,
  null,
  '',
  'x'.repeat(100_000),
]

/** A body that has everything which its schema names. */
function example(schema: Schema): unknown {
  if (schema[Kind] === 'Permissions') return nothing
  if (schema.anyOf !== undefined) return example((schema.anyOf as Schema[])[0] as Schema)
  if (schema.type === 'array') return [example(schema.items as Schema)]
  if (schema.type === 'object') {
    const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    return Object.fromEntries(fields.map(([name, field]) => [name, example(field)]))
  }
  if (schema.example !== undefined) return schema.example
  if (schema.format === 'email') return 'somebody@example.org'
  if (schema.type === 'integer' || schema.type === 'number') return 60
  return schema.type === 'boolean' ? true : 'x'
}

/** Copies of a value, each with one of its parts replaced. */
function* replaced(value: unknown, by: unknown): Generator<unknown> {
  yield by
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) {
    for (const part of replaced(item, by)) {
      yield Array.isArray(value) ? value.with(Number(name), part) : { ...value, [name]: part }
    }
  }
}

test('whatever stands wherever in a body, no answer is 500, and none lacks its headers', async () => {
  let asked = 0
  for (const { method, path, hooks } of routes.filter(({ hooks }) => hooks.body !== undefined)) {
    // Signing out would end what the others ask with.
    if (path.endsWith('/logout')) continue
    const whole = example(hooks.body as Schema)
    for (const hostile of HOSTILE) {
      for (const body of replaced(whole, hostile)) {
        const answer = await send(method, pathOf(path), body)
        const what = `${method} ${path} ${JSON.stringify(body).slice(0, 200)}`
        expect(answer.status, what).toBeLessThan(500)
        expect(answer.headers.get('x-request-id'), what).toMatch(/^[0-9a-f-]{36}$/)
        expect(answer.headers.get('x-content-type-options'), what).toBe('nosniff')
        asked++
      }
    }
  }
  expect(asked).toBeGreaterThan(500)
  expect(logged.lines.filter((line) => line.includes('"level":50'))).toEqual([])
}, 60_000)

test.each([
  ['/v1/roles', { name: 'x', permissions: nothing, color: { toString: 'x' } }, 'color must be'],
  ['/v1/apps', { name: 'x', environments: [{ toString: null, valueOf: null }] }, 'environments[0] must be'],
  ['/v1/apps', { name: [{ toString: 'x' }] }, 'name must be a string.'],
])('%s with %j is 400 and says which field is wrong', async (path, body, sentence) => {
  const answer = await send('POST', path, body)
  expect(answer.status).toBe(400)
  expect(answer.body.error).toStartWith(sentence)
})

/** A text that has the form of a token, of which nothing is stored. */
const SECRET = `kw_pat_${randomBytes(60).toString('base64').replace(/\W/g, '').slice(0, 49)}`

test('a token sent where an id or another text belongs comes back nowhere', async () => {
  const echoes: string[] = []
  let asked = 0
  const look = async (method: string, path: string, body: unknown) => {
    const answer = await send(method, path, body)
    const said = `${JSON.stringify(answer.body)} ${JSON.stringify([...answer.headers])}`
    // What a request was allowed to store, such as a name, is shown.
    if (answer.status >= 400 && said.includes(SECRET.slice(0, 20))) echoes.push(`${method} ${path}: ${said}`)
    asked++
  }
  for (const { method, path, hooks } of routes) {
    if (path.endsWith('/logout')) continue
    const whole = hooks.body === undefined ? {} : example(hooks.body as Schema)
    await look(method, path.replace(/:[a-z_]+/g, SECRET), whole)
    // What the others ask about must stay.
    if (method === 'DELETE') continue
    await look(method, pathOf(path).replace(/\?.*/, `?app_id=${SECRET}`), whole)
    for (const name of Object.keys((hooks.query?.properties as object | undefined) ?? {})) {
      await look(method, `${pathOf(path)}&${name}=${SECRET}&${SECRET}=1`, whole)
    }
    for (const body of replaced(whole, SECRET)) await look(method, pathOf(path), body)
    for (const body of replaced(whole, { [SECRET]: SECRET })) await look(method, pathOf(path), body)
    for (const body of replaced(whole, [SECRET, SECRET])) await look(method, pathOf(path), body)
  }
  await look('GET', `/v1/${SECRET}`, {})
  await look('PUT', `/v1/members/${ids['/v1/members']}`, { role_id: SECRET })
  await look('POST', '/v1/roles', {
    name: 'x',
    permissions: { ...nothing, permissions: { Roles: [SECRET] } },
  })
  await look('POST', '/v1/roles', { name: 'x', permissions: { ...nothing, permissions: { [SECRET]: [] } } })
  await look('POST', '/v1/roles', { name: 'x', permissions: { ...nothing, [SECRET]: {} } })
  expect(echoes).toEqual([])
  expect((await send('GET', '/service/auth/sessions', {})).status).toBe(200)
  expect(asked).toBeGreaterThan(200)
}, 60_000)

test('nor does it reach the audit log or the log when a request with it is refused', async () => {
  const developer = await member(ctx, 'developer')
  const as = service.as(await session(ctx, developer.userId))
  const before = logged.lines.length
  for (const { method, path, hooks } of routes.filter(({ path }) => path.startsWith('/v1/'))) {
    const body = hooks.body === undefined ? {} : { role_id: SECRET, name: 'x' }
    const init = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    await as.send(method, path.replace(/:[a-z_]+/g, SECRET), method === 'GET' ? {} : init)
  }
  const refusals = await ctx.db`
    select row_to_json(entry) as entry from audit_entries entry
    where actor_id = ${developer.id} and event_type like '%refused'`
  expect(refusals.length).toBeGreaterThan(5)
  expect(JSON.stringify(refusals)).not.toContain(SECRET.slice(0, 20))
  expect(logged.lines.slice(before).join()).not.toContain(SECRET.slice(0, 20))
})

test('an id that nothing has is named in the answer', async () => {
  const role_id = randomUUID()
  const answer = await send('PUT', `/v1/members/${ids['/v1/members']}`, { role_id })
  expect([answer.status, answer.body]).toEqual([404, { error: `Role "${role_id}" not found.` }])
})

test('the first fault of a long list is told, an unknown field before it', async () => {
  const { environments } = await app(ctx)
  const id = ids['/v1/members']
  const put = (apps: unknown) => send('PUT', `/v1/members/${id}/access`, { apps })
  const one = { id: ids['/v1/apps'], environments: [environments[0]?.id] }
  const bodies: [unknown, RegExp][] = [
    [Array(300_000).fill(0), /^The body must have at most 50000 values\.$/],
    [Array(49_000).fill(0), /^apps must have at most 10000 items\.$/],
    [[{ ...one, environments: Array(49_000).fill('a') }], /environments must have at most 9999 items/],
    [[...Array(9999).fill(one), 0], /^apps\[9999\] must be an object\.$/],
    [[...Array(9999).fill(one), { ...one, environmnets: [] }], /^Unknown field "apps\[9999\]\.environmnets"/],
    [
      [{ ...one, environments: [...Array.from({ length: 9997 }, (_, i) => `${i}`.padStart(90)), 'x', 'x'] }],
      /repeats/,
    ],
  ]
  for (const [apps, sentence] of bodies) {
    const answer = await put(apps)
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(sentence)])
  }
})

test('what an answer lacks of its schema is 500, and the log says where, not what', async () => {
  const { log, lines } = recordedLog()
  const config = { ...testConfig(), version: { secret: 'words' } as unknown as string }
  const response = await createApp({ ...ctx, config, log }).handle(
    new Request('http://localhost/service/health'),
  )
  expect([response.status, await response.json()]).toEqual([
    500,
    { error: "Internal error. The log has the details under the request's id." },
  ])
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 50,
      requestId: response.headers.get('x-request-id'),
      cause: 'the response does not fit its schema',
      path: '/version',
    }),
  ])
  expect(lines.join()).not.toContain('words')
})

test('what fails in the handler of errors itself is a 500 like any other, and is logged', async () => {
  const { log, lines } = recordedLog()
  const fail = () => {
    throw new TypeError('secret words')
  }
  const broken: Context = { ...ctx, log, metrics: { ...ctx.metrics, countUnauthenticated: fail } }
  const response = await createApp(broken).handle(
    new Request('http://localhost/v1/roles', { headers: { origin: 'http://localhost' } }),
  )
  expect([response.status, await response.json()]).toEqual([
    500,
    { error: "Internal error. The log has the details under the request's id." },
  ])
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 50,
      requestId: response.headers.get('x-request-id'),
      cause: 'TypeError',
    }),
  ])
  expect(lines.join()).not.toContain('secret words')
})
