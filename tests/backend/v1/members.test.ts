import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { manyMembers, member, owner, type Person, roleOf, serviceAccount } from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let replica: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  replica = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

const as = (caller: { token: string }) => service.as(caller.token)
const copies = async (id: string) =>
  (
    await ctx.db<{ n: number }[]>`select count(*)::int as n from environment_keys where principal_id = ${id}`
  )[0]?.n
const environments = async () =>
  (await ctx.db<{ n: number }[]>`select count(*)::int as n from environments`)[0]?.n

describe('GET /v1/members', () => {
  test('lists active members, oldest first, with their roles', async () => {
    const { status, body } = await as(ada).get('/v1/members/')
    expect(status).toBe(200)
    // Her own request may be written as a use before it is answered, or after.
    expect({ ...body.data[0], lastSeenAt: null }).toEqual({
      id: ada.id,
      username: expect.stringContaining('@example.org'),
      fullName: 'Ada Example',
      email: expect.stringContaining('@example.org'),
      role: { id: (await roleOf(ctx, 'owner')).id, name: 'Owner' },
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      lastSeenAt: null,
      accessibleEnvironments: 0,
      globalAccess: true,
    })
  })

  test('pages with limit and cursor list every member once', async () => {
    for (let i = 0; i < 3; i++) await member(ctx, 'developer')
    // When somebody was last seen may be written in between.
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
    const everybody = idsOf((await as(ada).get('/v1/members')).body)
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await as(ada).get(`/v1/members?limit=2${cursor && `&cursor=${cursor}`}`)
      expect(body.data.length).toBeLessThanOrEqual(2)
      seen.push(...idsOf(body))
      cursor = body.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual(everybody)
  })

  test('takes two statements with authentication, for a few members and for a thousand', async () => {
    const list = () => as(ada).get('/v1/members')
    const few = await countStatements(ctx, list)
    await manyMembers(ctx, 1000)
    const many = await countStatements(ctx, list)
    expect((await list()).body.data.length).toBeGreaterThan(1000)
    expect([few, many]).toEqual([2, 2])
  })

  test.each(['limit=0', 'limit=201', 'limit=x', 'cursor=junk'])('refuses ?%s', async (query) => {
    expect((await as(ada).get(`/v1/members?${query}`)).status).toBe(400)
  })

  test('is 401 without credentials and 403 without the permission', async () => {
    const [nobody] = await Promise.all([
      member(ctx, {
        id: (
          await as(ada).post('/v1/roles', {
            name: 'Nobody',
            permissions: { permissions: {}, app_permissions: {} },
          })
        ).body.id,
      }),
    ])
    expect((await service.anonymous.get('/v1/members')).status).toBe(401)
    expect((await as(nobody).get('/v1/members')).body).toEqual({
      error: "You don't have permission to read members.",
    })
  })
})

describe('GET /v1/members/:id', () => {
  test('gives one member', async () => {
    const grace = await member(ctx, 'developer')
    const { status, body } = await as(ada).get(`/v1/members/${grace.id}/`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: grace.id, role: { name: 'Developer' } })
  })

  test.each([randomUUID(), 'not-an-id', "'", '%00'])('is 404 for %s', async (id) => {
    expect((await as(ada).get(`/v1/members/${id}`)).status).toBe(404)
  })
})

describe('PUT /v1/members/:id', () => {
  test('gives the member another role and writes an audit entry', async () => {
    const grace = await member(ctx, 'developer')
    const manager = await roleOf(ctx, 'manager')
    ctx.clock.advance(60)
    const { status, body } = await as(ada).put(`/v1/members/${grace.id}`, { role_id: manager.id })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: grace.id, role: { id: manager.id, name: 'Manager' } })
    expect(body.updatedAt).not.toBe(body.createdAt)
    const [entry] = await ctx.db`select * from audit_entries where resource_id = ${grace.id}`
    expect(entry).toMatchObject({
      event_type: 'member.role_changed',
      actor_id: ada.id,
      new_values: { role: { id: manager.id, name: 'Manager' } },
    })
  })

  test('the same role changes nothing', async () => {
    const grace = await member(ctx, 'developer')
    const before = (await as(ada).get(`/v1/members/${grace.id}`)).body
    ctx.clock.advance(60)
    const { status, body } = await as(ada).unrecorded.put(`/v1/members/${grace.id}`, {
      role_id: before.role.id,
    })
    expect({ status, body }).toEqual({ status: 200, body: before })
    expect(await ctx.db`select 1 from audit_entries where resource_id = ${grace.id}`).toHaveLength(0)
  })

  test('promotion to global access adds a key copy of every environment, demotion keeps the granted ones', async () => {
    const first = await app(ctx)
    await app(ctx)
    const grace = await member(ctx, 'developer')
    const granted = { apps: [{ id: first.id, environments: [first.environments[0]?.id] }] }
    expect((await as(ada).put(`/v1/members/${grace.id}/access`, granted)).status).toBe(200)
    expect(await copies(grace.id)).toBe(1)
    await as(ada).put(`/v1/members/${grace.id}`, { role_id: (await roleOf(ctx, 'admin')).id })
    expect(await copies(grace.id)).toBe(await environments())
    await as(ada).put(`/v1/members/${grace.id}`, { role_id: (await roleOf(ctx, 'developer')).id })
    expect(await copies(grace.id)).toBe(1)
    const { body } = await as(ada).get(`/v1/members/${grace.id}/access`)
    expect(body.apps).toEqual([{ id: first.id, name: first.name, environments: [first.environments[0]] }])
  })

  test('refuses in the order: permission, body, target, rules about it, role, rules about the role', async () => {
    const developer = await member(ctx, 'developer')
    const manager = await member(ctx, 'manager')
    const admin = await roleOf(ctx, 'admin')
    const unknown = randomUUID()
    const put = (caller: { token: string }, id: string, body: unknown) =>
      as(caller).put(`/v1/members/${id}`, body)
    expect((await put(developer, unknown, {})).status).toBe(403)
    expect((await put(manager, unknown, {})).status).toBe(400)
    expect((await put(manager, unknown, { role_id: unknown })).status).toBe(404)
    expect((await put(manager, ada.id, { role_id: unknown })).status).toBe(403)
    expect((await put(manager, developer.id, { role_id: unknown })).status).toBe(404)
    expect((await put(manager, developer.id, { role_id: admin.id })).status).toBe(403)
  })

  test('each rule is answered with its sentence', async () => {
    const developer = await member(ctx, 'developer')
    const robot = await serviceAccount(ctx, 'manager')
    const ownerRole = await roleOf(ctx, 'owner')
    const toOwner = await as(ada).put(`/v1/members/${developer.id}`, { role_id: ownerRole.id })
    expect(toOwner).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('Use the ownership transfer flow.') },
    })
    const self = await as(ada).put(`/v1/members/${ada.id}`, { role_id: ownerRole.id })
    expect(self).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining("Owner's role cannot be changed") },
    })
    const admin = await roleOf(ctx, 'admin')
    expect((await as(robot).put(`/v1/members/${developer.id}`, { role_id: admin.id })).status).toBe(403)
  })
})

describe('DELETE /v1/members/:id', () => {
  test('removes the member, its keys, grants and tokens, at once on every replica', async () => {
    const grace = await member(ctx, 'admin')
    expect((await replica.as(grace.token).get('/v1/members')).status).toBe(200)
    const removed = await as(ada).delete(`/v1/members/${grace.id}`)
    expect(removed).toMatchObject({ status: 204, body: '' })
    const refused = await replica.as(grace.token).get('/v1/members')
    expect(refused).toMatchObject({ status: 401, body: { error: 'Token expired or deleted' } })
    expect((await as(ada).get(`/v1/members/${grace.id}`)).status).toBe(404)
    expect((await as(ada).delete(`/v1/members/${grace.id}`)).status).toBe(404)
    expect(await copies(grace.id)).toBe(0)
    const [history] = await ctx.db`select role_name, removed_at from members where id = ${grace.id}`
    expect(history).toMatchObject({ role_name: 'Admin', removed_at: expect.any(Date) })
  })

  test('the Owner, the caller itself and, without global access, members with global access are refused', async () => {
    const admin = await member(ctx, 'admin')
    const manager = await member(ctx, 'manager')
    const robot = await serviceAccount(ctx, 'manager')
    expect((await as(admin).delete(`/v1/members/${ada.id}`)).status).toBe(403)
    expect((await as(ada).delete(`/v1/members/${ada.id}`)).status).toBe(403)
    expect((await as(admin).delete(`/v1/members/${admin.id}`)).status).toBe(403)
    expect((await as(manager).delete(`/v1/members/${admin.id}`)).status).toBe(403)
    expect((await as(robot).delete(`/v1/members/${admin.id}`)).status).toBe(403)
    expect((await service.anonymous.delete(`/v1/members/${admin.id}`)).status).toBe(401)
  })
})
