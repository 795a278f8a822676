import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, roleOf, serviceAccount } from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let replica: ReturnType<typeof api>
let payments: TestApp
let website: TestApp

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  replica = api(ctx)
  ada = await owner(ctx)
  payments = await app(ctx, 'payments')
  website = await app(ctx, 'Website', ['Development', 'Staging', 'Production'])
})
afterAll(() => ctx.close())

const as = (caller: { token: string }) => service.as(caller.token)
const everything = (...apps: TestApp[]) => ({
  apps: apps.map(({ id, environments }) => ({
    id,
    environments: environments.map((environment) => environment.id),
  })),
})
const put = (caller: { token: string }, id: string, body: unknown) =>
  as(caller).put(`/v1/members/${id}/access`, body)
const copiesOf = (id: string) =>
  ctx.db`select environment_id, wrapped_seed, wrapped_salt from environment_keys where principal_id = ${id} order by 1`
const entriesOf = (id: string) => ctx.db`select * from audit_entries where resource_id = ${id}`

describe('PUT /v1/members/:id/access', () => {
  test('grants what is listed, revokes what is missing, and shows the new state', async () => {
    const grace = await member(ctx, 'developer')
    const { status, body } = await put(ada, grace.id, everything(website, payments))
    expect(status).toBe(200)
    expect(body).toEqual({
      ...(await as(ada).get(`/v1/members/${grace.id}`)).body,
      apps: [
        { id: payments.id, name: 'payments', environments: payments.environments },
        { id: website.id, name: 'Website', environments: website.environments },
      ],
    })
    expect(await copiesOf(grace.id)).toHaveLength(5)
    const less = { apps: [{ id: website.id, environments: [website.environments[1]?.id] }] }
    expect((await put(ada, grace.id, less)).body.apps).toEqual([
      { id: website.id, name: 'Website', environments: [website.environments[1]] },
    ])
    expect(await copiesOf(grace.id)).toHaveLength(1)
    expect((await put(ada, grace.id, { apps: [] })).body.apps).toEqual([])
    expect(await copiesOf(grace.id)).toHaveLength(0)
  })

  test('the same request again writes nothing: no key copy, no date, no audit entry', async () => {
    const grace = await member(ctx, 'developer')
    const first = await put(ada, grace.id, everything(payments))
    const before = await copiesOf(grace.id)
    ctx.clock.advance(60)
    const second = await as(ada).unrecorded.put(`/v1/members/${grace.id}/access`, everything(payments))
    expect(second).toMatchObject({ status: 200, body: first.body })
    expect(await copiesOf(grace.id)).toEqual(before)
    expect(await entriesOf(grace.id)).toHaveLength(1)
  })

  test('wraps only what is new', async () => {
    const grace = await member(ctx, 'developer')
    await put(ada, grace.id, everything(payments))
    const before = await copiesOf(grace.id)
    await put(ada, grace.id, everything(payments, website))
    const after = await copiesOf(grace.id)
    expect([before.length, after.length]).toEqual([2, 5])
    for (const copy of before) expect(after).toContainEqual(copy)
  })

  test.each([
    ['apps missing', {}, /apps is required/],
    ['apps null', { apps: null }, /apps must be an array/],
    ['environments missing', { apps: [{ id: 'x' }] }, /apps\[0\]\.environments is required/],
    [
      'environments empty',
      { apps: [{ id: 'x', environments: [] }] },
      /apps\[0\]\.environments must not be empty/,
    ],
    ['an app that is a number', { apps: [{ id: 1, environments: ['x'] }] }, /apps\[0\]\.id must be a string/],
    [
      'a repeated environment',
      { apps: [{ id: 'x', environments: ['y', 'y'] }] },
      /apps\[0\]\.environments\[1\] repeats/,
    ],
    ['an unknown field', { apps: [], all: true }, /Unknown field "all"/],
  ])('refuses %s', async (_, body, sentence) => {
    const grace = await member(ctx, 'developer')
    const answer = await put(ada, grace.id, body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(sentence)
  })

  test('is 404 for an unknown app or environment, names it, and writes nothing', async () => {
    const grace = await member(ctx, 'developer')
    const unknown = randomUUID()
    for (const id of [unknown, 'no-id']) {
      const app = await put(ada, grace.id, {
        apps: [...everything(payments).apps, { id, environments: [unknown] }],
      })
      expect(app).toMatchObject({
        status: 404,
        body: { error: id === unknown ? `App "${id}" not found.` : 'App not found.' },
      })
      const environment = await put(ada, grace.id, { apps: [{ id: payments.id, environments: [id] }] })
      expect(environment).toMatchObject({
        status: 404,
        body: { error: id === unknown ? `Environment "${id}" not found.` : 'Environment not found.' },
      })
    }
    const foreign = await put(ada, grace.id, {
      apps: [{ id: payments.id, environments: [website.environments[0]?.id] }],
    })
    expect(foreign.status).toBe(404)
    expect(await copiesOf(grace.id)).toHaveLength(0)
    expect(await entriesOf(grace.id)).toHaveLength(0)
  })

  test('is 404 for an unknown member, 403 for one with global access; credentials and permission are checked first', async () => {
    const admin = await member(ctx, 'admin')
    const developer = await member(ctx, 'developer')
    expect((await put(ada, randomUUID(), { apps: [] })).status).toBe(404)
    expect((await put(ada, admin.id, { apps: [] })).status).toBe(403)
    expect((await put(developer, admin.id, {})).status).toBe(403)
    expect((await service.anonymous.put(`/v1/members/${admin.id}/access`, {})).status).toBe(401)
  })

  test('granting needs the caller’s own access; keeping and revoking do not', async () => {
    const manager = await member(ctx, 'manager')
    const grace = await member(ctx, 'developer')
    await put(ada, manager.id, everything(payments))
    await put(ada, grace.id, everything(website))
    const refused = await put(manager, grace.id, {
      apps: [{ id: website.id, environments: [website.environments[0]?.id] }, ...everything(payments).apps],
    })
    expect(refused.status).toBe(200)
    const back = await put(manager, grace.id, everything(website, payments))
    expect(back).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining(website.environments[1]?.id ?? '') },
    })
    expect((await put(manager, grace.id, { apps: [] })).status).toBe(200)
    expect((await put(manager, grace.id, everything(payments))).status).toBe(200)
  })

  test('a caller can reduce its own access, and not restore it', async () => {
    const manager = await member(ctx, 'manager')
    await put(ada, manager.id, everything(payments))
    expect((await put(manager, manager.id, { apps: [] })).status).toBe(200)
    expect((await put(manager, manager.id, everything(payments))).status).toBe(403)
  })

  test('a service account grants within its own access', async () => {
    const robot = await serviceAccount(ctx, 'manager')
    const grace = await member(ctx, 'developer')
    expect((await put(robot, grace.id, everything(payments))).status).toBe(403)
  })

  test('takes the same number of statements for 1 environment and for 60', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => app(ctx, undefined, ['a', 'b', 'c'])))
    const [one, all] = [await member(ctx, 'developer'), await member(ctx, 'developer')]
    const few = await countStatements(ctx, async () => {
      await service.as(ada.token).put(`/v1/members/${one.id}/access`, everything(payments))
    })
    const lots = await countStatements(ctx, async () => {
      await service.as(ada.token).put(`/v1/members/${all.id}/access`, everything(...many))
    })
    expect(lots).toBe(few)
    expect(lots).toBeLessThanOrEqual(10)
    expect(await copiesOf(all.id)).toHaveLength(60)
  })

  test('concurrent requests end in one of the two states', async () => {
    for (let round = 0; round < 5; round++) {
      const grace = await member(ctx, 'developer')
      const answers = await Promise.all([
        put(ada, grace.id, everything(payments)),
        replica.as(ada.token).put(`/v1/members/${grace.id}/access`, everything(website)),
      ])
      expect(answers.map((answer) => answer.status)).toEqual([200, 200])
      const { apps } = (await as(ada).get(`/v1/members/${grace.id}/access`)).body
      expect(apps.map((app: { name: string }) => app.name)).toHaveLength(1)
      expect(await copiesOf(grace.id)).toHaveLength(apps[0].environments.length)
    }
  })

  test('while the member is removed it is 200 or 404', async () => {
    for (let round = 0; round < 5; round++) {
      const grace = await member(ctx, 'developer')
      const [granted, removed] = await Promise.all([
        put(ada, grace.id, everything(payments)),
        replica.as(ada.token).delete(`/v1/members/${grace.id}`),
      ])
      expect([200, 404]).toContain(granted.status)
      expect(removed.status).toBe(204)
      expect(await copiesOf(grace.id)).toHaveLength(0)
    }
  })
})

describe('GET /v1/members/:id/access', () => {
  test('shows every app and environment for a member with global access', async () => {
    const { body } = await as(ada).get(`/v1/members/${ada.id}/access`)
    const [apps] = await ctx.db`select count(*)::int as n from apps`
    expect(body.apps).toHaveLength(apps?.n)
    expect(body.apps.map((app: { name: string }) => app.name.toLowerCase())).toEqual(
      body.apps.map((app: { name: string }) => app.name.toLowerCase()).sort(),
    )
  })

  test('shows what was granted for any other member, in two statements with authentication', async () => {
    const grace = await member(ctx, 'developer')
    expect((await as(grace).get(`/v1/members/${grace.id}/access`)).body.apps).toEqual([])
    await as(grace).get('/v1/me')
    const statements = await countStatements(ctx, async () => {
      await service.as(grace.token).get(`/v1/members/${grace.id}/access`)
    })
    expect(statements).toBeLessThanOrEqual(2)
  })

  test('is 404 for an unknown member, 401 without credentials, 403 without the permission', async () => {
    const empty = await as(ada).post('/v1/roles', {
      name: 'Nothing',
      permissions: { permissions: {}, app_permissions: {} },
    })
    const nobody = await member(ctx, { id: empty.body.id })
    expect((await as(ada).get(`/v1/members/${randomUUID()}/access`)).status).toBe(404)
    expect((await service.anonymous.get(`/v1/members/${ada.id}/access`)).status).toBe(401)
    expect((await as(nobody).get(`/v1/members/${ada.id}/access`)).status).toBe(403)
  })
})

test('a role deleted while it is assigned ends in exactly one of the two', async () => {
  for (let round = 0; round < 5; round++) {
    const role = (
      await as(ada).post('/v1/roles', {
        name: `Racer ${round}`,
        permissions: { permissions: {}, app_permissions: {} },
      })
    ).body
    const grace = await member(ctx, 'developer')
    const [assigned, deleted] = await Promise.all([
      as(ada).put(`/v1/members/${grace.id}`, { role_id: role.id }),
      replica.as(ada.token).delete(`/v1/roles/${role.id}`),
    ])
    expect([[200, 409].join(), [404, 204].join()]).toContain([assigned.status, deleted.status].join())
    const held = (await as(ada).get(`/v1/members/${grace.id}`)).body.role
    expect(held.id).toBe(assigned.status === 200 ? role.id : (await roleOf(ctx, 'developer')).id)
  }
})

describe('PUT /v1/service-accounts/:id/access', () => {
  const set = (caller: { token: string }, id: string, body: unknown) =>
    as(caller).put(`/v1/service-accounts/${id}/access`, body)

  test('sets a service account’s access in the same way', async () => {
    const robot = await serviceAccount(ctx, 'service')
    const { status, body } = await set(ada, robot.id, everything(payments))
    expect(status).toBe(200)
    expect(body).toEqual((await as(ada).get(`/v1/service-accounts/${robot.id}/access`)).body)
    expect(body).toMatchObject({ id: robot.id, name: 'Robot', role: { name: 'Service' } })
    expect(body.apps).toEqual([{ id: payments.id, name: 'payments', environments: payments.environments }])
    expect(await copiesOf(robot.id)).toHaveLength(payments.environments.length)
    expect(await entriesOf(robot.id)).toMatchObject([{ event_type: 'service_account.access_changed' }])
  })

  test('is 404 for a member’s id, 401 without credentials, 403 without the permission', async () => {
    const developer = await member(ctx, 'developer')
    const robot = await serviceAccount(ctx, 'service')
    expect((await set(ada, developer.id, { apps: [] })).status).toBe(404)
    expect((await put(ada, robot.id, { apps: [] })).status).toBe(404)
    expect((await set(developer, robot.id, { apps: [] })).status).toBe(403)
    expect((await service.anonymous.put(`/v1/service-accounts/${robot.id}/access`, {})).status).toBe(401)
    expect((await as(developer).get(`/v1/service-accounts/${robot.id}/access`)).status).toBe(403)
    expect((await as(ada).get(`/v1/service-accounts/${randomUUID()}/access`)).status).toBe(404)
  })
})
