import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api } from '../support/api.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { owner } from '../support/people.ts'

/** The routes that ask nothing of their caller. A new one is a decision: it is added here or it fails. */
const PUBLIC = [
  'GET /service/auth/methods',
  'GET /service/health',
  'GET /service/metrics',
  'GET /service/ready',
  'POST /service/auth/email/resend',
  'POST /service/auth/email/verify',
  'POST /service/auth/invites/lookup',
  'POST /service/auth/password/forgot',
  'POST /service/auth/password/login',
  'POST /service/auth/password/register',
  'POST /service/auth/password/reset',
]

type Route = {
  method: string
  path: string
  hooks: Record<string, unknown> & { detail?: Record<string, unknown> }
}

let ctx: TestContext
let service: ReturnType<typeof api>
let routes: Route[]

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  await owner(ctx)
  routes = (service.app.routes as unknown as Route[]).filter((route) => !route.path.startsWith('/swagger'))
})
afterAll(() => ctx.close())

const nameOf = ({ method, path }: Route) => `${method} ${path.replace(/(.)\/$/, '$1')}`

describe('every route', () => {
  test('declares what it asks of its caller, or is on the public list', () => {
    const open = routes.filter(
      (route) => !route.hooks.detail?.['x-permission'] || route.hooks.detail['x-permission'] === 'none',
    )
    expect(open.map(nameOf).sort()).toEqual(PUBLIC)
  })

  test('is 401 for nobody, unless it is on the public list', async () => {
    for (const route of routes.filter((route) => !PUBLIC.includes(nameOf(route)))) {
      const path = route.path.replace(/:[a-z_]+/g, '4f9d5a52-6f0b-4a9e-8a3c-0d6f3b1c2e7a')
      const headers = { 'content-type': 'application/json' }
      const init = route.method === 'GET' ? {} : { body: '{', headers }
      const { status, body, headers: answered } = await service.anonymous.send(route.method, path, init)
      expect(status, nameOf(route)).toBe(401)
      expect(body, nameOf(route)).toEqual({ error: expect.any(String) })
      expect(answered.get('www-authenticate'), nameOf(route)).toBe('Bearer')
    }
  })

  test('has a schema for its answers, its parameters, and its body where it takes one', () => {
    for (const route of routes) {
      expect(route.hooks.response, nameOf(route)).toBeDefined()
      if (route.path.includes(':')) expect(route.hooks.params, nameOf(route)).toBeDefined()
      const takesBody = route.method === 'POST' || route.method === 'PUT'
      if (takesBody) expect(route.hooks.body, nameOf(route)).toBeDefined()
    }
  })

  test('answers alike with and without its trailing slash, and a wrong method with 405', async () => {
    for (const route of routes) {
      const path = route.path.replace(/:[a-z_]+/g, 'x').replace(/(.)\/$/, '$1')
      const [bare, slashed] = [await service.anonymous.get(path), await service.anonymous.get(`${path}/`)]
      expect(slashed.status, path).toBe(bare.status)
      const wrong = await service.anonymous.send('PATCH', path)
      expect({ path, status: wrong.status }).toEqual({ path, status: 405 })
      expect(wrong.headers.get('allow'), path).toContain(route.method)
    }
  })

  test('that is literal hides one with a parameter in its place, for every method', async () => {
    for (const method of ['PUT', 'DELETE']) {
      expect((await service.anonymous.send(method, '/v1/members/invites')).status).toBe(405)
    }
  })
})
