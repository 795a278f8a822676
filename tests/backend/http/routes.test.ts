import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { REFUSALS } from '../../../src/core/audit/refusals.ts'
import { api, type Client } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { refusalDeclaredBy } from '../../support/event-tables.ts'
import { expectGenerated } from '../../support/generated.ts'
import { member, owner } from '../../support/people.ts'
import { permissionOf, permissionTable, type Route } from '../../support/permission-table.ts'

const TABLE = join(import.meta.dir, '../../../docs/permissions.md')

let ctx: TestContext
let service: ReturnType<typeof api>
let routes: Route[]
let ada: Awaited<ReturnType<typeof owner>>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  routes = (service.app.routes as unknown as Route[]).filter((route) => !route.path.startsWith('/swagger'))
})
afterAll(() => ctx.close())

/** A request that nobody gets through to the body of: it is no JSON. */
function send(client: Client, { method, path }: Route) {
  const headers = { 'content-type': 'application/json' }
  const init = method === 'GET' ? {} : { body: '{', headers }
  return client.send(method, path.replace(/:[a-z_]+/g, '4f9d5a52-6f0b-4a9e-8a3c-0d6f3b1c2e7a'), init)
}

/** A member whose role allows everything but the permissions of one level. */
async function withoutAny(level: string) {
  const { body: all } = await service.as(ada.token).get('/v1/me')
  const permissions = {
    permissions: level === 'permissions' ? {} : all.role.permissions.permissions,
    app_permissions: level === 'permissions' ? all.role.permissions.appPermissions : {},
  }
  const role = { name: `No ${level}`, permissions }
  return await member(ctx, (await service.as(ada.token).post('/v1/roles', role)).body)
}

const nameOf = ({ method, path }: Route) => `${method} ${path.replace(/(.)\/$/, '$1')}`

describe('every route', () => {
  test('asks of its caller what docs/permissions.md says', async () => {
    expect(routes.filter((route) => permissionOf(route) === null).map(nameOf)).toEqual([])
    await expectGenerated(TABLE, permissionTable(routes))
  })

  test('that may refuse a known caller declares what that is called in the audit log', () => {
    // Without a caller, or without anything asked of it, there is nobody whose refusal could be recorded.
    const refusesNobody = (route: Route) =>
      ['none', 'any signed-in caller'].includes(permissionOf(route) ?? '')
    expect(routes.filter((route) => !refusesNobody(route) && !refusalDeclaredBy(route)).map(nameOf)).toEqual(
      [],
    )
    expect(routes.filter((route) => refusesNobody(route) && refusalDeclaredBy(route)).map(nameOf)).toEqual([])
  })

  test('and only routes: every refusal of the audit log is declared by one', () => {
    const declared = new Set(routes.map((route) => refusalDeclaredBy(route)?.eventType))
    expect(REFUSALS.filter((refusal) => !declared.has(refusal))).toEqual([])
  })

  test.each(['permissions', 'app_permissions'])(
    'refuses whoever lacks its permission and names it, where those are %s',
    async (level) => {
      const caller = service.as((await withoutAny(level)).token)
      const permission = level === 'permissions' ? /^(\w+): (\w+)$/ : /^(\w+) \(app level\): (\w+)$/
      const guarded = routes.filter((route) => permission.test(permissionOf(route) ?? ''))
      expect(guarded.length).toBeGreaterThan(3)
      for (const route of guarded) {
        const [, resource = '', action] = permissionOf(route)?.match(permission) ?? []
        const words = resource.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
        const { status, body } = await send(caller, route)
        expect({ route: nameOf(route), status, error: body.error }).toEqual({
          route: nameOf(route),
          status: 403,
          error: `You don't have permission to ${action} ${words}.`,
        })
      }
    },
  )

  test('is 401 for nobody, unless it asks for nothing', async () => {
    for (const route of routes.filter((route) => permissionOf(route) !== 'none')) {
      const { status, body, headers: answered } = await send(service.anonymous, route)
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
