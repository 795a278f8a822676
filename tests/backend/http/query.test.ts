import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { requireUsableQuery } from '../../../src/backend/http/query.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, session } from '../../support/people.ts'

type Route = { method: string; path: string; hooks: { query?: { properties?: object } } }

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let routes: Route[]

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  routes = (service.app.routes as unknown as Route[]).filter(({ path }) => path.startsWith('/v1/'))
})
afterAll(() => ctx.close())

/** Sends a request without the checks of declared statuses: the 400 belongs to every route. */
async function send({ method, path }: Route, query: string, token: string | null) {
  const url = `http://localhost${path.replace(/:[a-z_]+/g, randomUUID())}?${query}`
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }
  const response = await service.app.handle(new Request(url, { method, headers, ...body }))
  return [response.status, ((await response.json()) as { error: string }).error]
}

describe('on every route under /v1', () => {
  test('a NUL character in the query is 400 with a sentence', async () => {
    const token = await session(ctx, ada.userId)
    expect(routes.length).toBeGreaterThan(40)
    for (const route of routes) {
      const name = `${route.method} ${route.path}`
      const [status, error] = await send(route, 'x=a%00b', token)
      expect([name, status, error]).toEqual([name, 400, 'The query must not contain NUL characters.'])
    }
  })

  test('a known parameter with a NUL character, or given twice, is 400 and named', async () => {
    let parameters = 0
    for (const route of routes) {
      for (const name of Object.keys(route.hooks.query?.properties ?? {})) {
        parameters++
        const nul = await send(route, `${name}=%00`, ada.token)
        expect([route.path, nul]).toEqual([route.path, [400, `${name} must not contain NUL characters.`]])
        const twice = await send(route, `${name}=1&x=2&${name}=1`, ada.token)
        expect([route.path, twice]).toEqual([route.path, [400, `${name} must be given only once.`]])
      }
    }
    expect(parameters).toBeGreaterThan(25)
  })

  test('credentials and permission are checked before', async () => {
    const { token } = await member(ctx, 'service')
    const route = { method: 'GET', path: '/v1/logs/audit', hooks: {} }
    expect((await send(route, 'limit=%00', null))[0]).toBe(401)
    expect((await send(route, 'limit=1&limit=2', token))[0]).toBe(403)
  })
})

test('the list of sessions refuses the same', async () => {
  const token = await session(ctx, ada.userId)
  const route = { method: 'GET', path: '/service/auth/sessions', hooks: {} }
  expect(await send(route, 'limit=1&limit=2', token)).toEqual([400, 'limit must be given only once.'])
  expect(await send(route, 'cursor=%00', token)).toEqual([400, 'cursor must not contain NUL characters.'])
})

test.each([
  ['/v1/roles', 'cursor', 4000],
  ['/v1/access', 'cursor', 4000],
  ['/v1/access', 'member_id', 200],
  ['/v1/access', 'environment_id', 200],
  ['/v1/logs/audit', 'actor_id', 200],
  ['/v1/environments', 'app_id', 200],
])('%s?%s= with too much text says how long it may be', async (path, name, maxLength) => {
  const { status, body } = await service.as(ada.token).get(`${path}?${name}=${'a'.repeat(6000)}`)
  expect([status, body]).toEqual([400, { error: `${name} must have at most ${maxLength} characters.` }])
})

test.each([
  'http://localhost/v1/roles',
  'http://localhost/v1/roles?',
  'http://localhost/v1/roles?limit=1&cursor=a',
  'http://localhost/v1/roles?limit=%2500',
  'http://localhost/v1/roles?unknown=1&unknown=2',
  'http://localhost/v1/roles?limit=%zz',
])('%s is passed on', (url) => {
  expect(() => requireUsableQuery(url, ['limit', 'cursor'])).not.toThrow()
})

test.each(['limit=1&limit=1', 'limit=1&li%6Dit=2', 'limit&limit'])(
  '%s gives the parameter twice',
  (query) => {
    const url = `http://localhost/v1/roles?${query}`
    expect(() => requireUsableQuery(url, ['limit'])).toThrow('limit must be given only once.')
  },
)
