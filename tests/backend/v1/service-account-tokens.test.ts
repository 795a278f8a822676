import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../../src/platform/postgres/database.ts'
import { api, type Client } from '../../support/api.ts'
import { appWith, grant } from '../../support/apps.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testContext, uniqueName } from '../../support/context.ts'
import { type Account, member, owner, type Person, serviceAccount } from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let admin: Client
let robot: Account
let tokens: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  admin = service.as(ada.token)
  robot = await serviceAccount(ctx, 'service')
  tokens = `/v1/service-accounts/${robot.id}/tokens`
})
afterAll(() => ctx.close())

describe('POST /v1/service-accounts/:id/tokens', () => {
  test('creates a valid token, shown once, and an audit entry without its text', async () => {
    const { status, body } = await admin.post(`${tokens}/`, {
      name: ' ci ',
      expires_at: '2026-06-01T12:00:00+02:00',
    })
    expect(body).toEqual({
      id: expect.any(String),
      name: 'ci',
      format: 'keyward',
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-06-01T10:00:00.000Z',
      lastUsedAt: null,
      createdBy: { type: 'user', id: ada.id, name: 'Ada Example' },
      token: expect.stringMatching(/^kw_sat_[0-9A-Za-z]{49}$/),
    })
    expect(status).toBe(201)
    expect((await service.as(body.token).get('/v1/me')).body.id).toBe(robot.id)
    expect(await entriesAbout(ctx, body.id)).toEqual([
      {
        event_type: 'token.created',
        resource_type: 'token',
        actor_id: ada.id,
        resource_metadata: { name: 'ci', expiresAt: '2026-06-01T10:00:00.000Z', ownerId: robot.id },
        old_values: null,
        new_values: { name: 'ci', expiresAt: '2026-06-01T10:00:00.000Z' },
        description: 'Service account token "ci" created.',
      },
    ])
  })

  test('is 400 for a bad body or expiry, also for an unknown service account', async () => {
    const nobody = '/v1/service-accounts/nonsense/tokens'
    for (const body of [
      {},
      { name: 'x', expires_in: null },
      { name: 'x', expires_at: '2020-01-01T00:00:00Z' },
    ]) {
      expect((await admin.post(nobody, body)).status).toBe(400)
    }
  })

  test("is 403 where the service account's role has a permission that the caller lacks", async () => {
    const permissions = { permissions: {}, app_permissions: { Environments: ['delete'] } }
    const role = (await admin.post('/v1/roles', { name: uniqueName('Role'), permissions })).body
    const account = await serviceAccount(ctx, role)
    const manager = await member(ctx, 'manager')
    const url = `/v1/service-accounts/${account.id}/tokens`
    expect(await service.as(manager.token).post(url, { name: 'x' })).toMatchObject({
      status: 403,
      body: {
        error: "Your own role does not allow delete on app-level Environments, so you can't hand it out.",
      },
    })
  })

  test('every response names the creator, also once it was removed', async () => {
    const account = await serviceAccount(ctx, 'service')
    const url = `/v1/service-accounts/${account.id}`
    const mel = await member(ctx, 'manager')
    await ctx.db`update users set full_name = 'Mel Example' where id = ${mel.userId}`
    const permissions = { permissions: { ServiceAccountTokens: ['create'] }, app_permissions: {} }
    const issuing = (await admin.post('/v1/roles', { name: uniqueName('Role'), permissions })).body
    const empty = { permissions: {}, app_permissions: {} }
    const idle = (await admin.post('/v1/roles', { name: uniqueName('Role'), permissions: empty })).body
    const issuer = await serviceAccount(ctx, issuing)
    await admin.put(url, { role_id: idle.id })
    const shown = async () => {
      const { data } = (await admin.get(`${url}/tokens`)).body
      expect((await admin.get(url)).body.tokens).toEqual(data)
      return data.map((token: { createdBy: unknown }) => token.createdBy)
    }
    const creators: unknown[] = [null]
    for (const [creator, name] of [[mel, 'Mel Example'] as const, [issuer, 'Robot'] as const]) {
      ctx.clock.advance(1)
      const { status, body } = await service.as(creator.token).post(`${url}/tokens`, { name: 'x' })
      expect(status).toBe(201)
      creators.push({ type: creator === mel ? 'user' : 'service_account', id: creator.id, name })
      expect(body.createdBy).toEqual(creators.at(-1))
      expect(await shown()).toEqual(creators)
    }
    await admin.delete(`/v1/members/${mel.id}`)
    await admin.delete(`/v1/service-accounts/${issuer.id}`)
    expect(await shown()).toEqual(creators)
  })

  test('the creator of a token is never shown by e-mail address, also where there is no name', async () => {
    const { id: robotId } = await serviceAccount(ctx, 'service')
    const nameless = await member(ctx, 'admin')
    await ctx.db`update users set full_name = '' where id = ${nameless.userId}`
    const { body } = await service
      .as(nameless.token)
      .post(`/v1/service-accounts/${robotId}/tokens`, { name: 'ci' })
    expect(body.createdBy).toEqual({ type: 'user', id: nameless.id, name: '' })
  })

  test("is 403 only where the service account can access environments that the caller can't", async () => {
    const { environments } = await appWith(ctx, uniqueName('App'), ['Development', 'Production'])
    const account = await serviceAccount(ctx, 'developer')
    const manager = await member(ctx, 'manager')
    const post = () =>
      service.as(manager.token).post(`/v1/service-accounts/${account.id}/tokens`, { name: 'x' })
    expect((await post()).status).toBe(201)
    await grant(ctx, account.id, environments)
    await grant(ctx, manager.id, environments.slice(0, 1))
    expect(await post()).toMatchObject({
      status: 403,
      body: {
        error:
          "This service account can access environments that you can't, so you can't create a token for it.",
      },
    })
    await grant(ctx, manager.id, environments.slice(1))
    expect((await post()).status).toBe(201)
    const admins = await member(ctx, 'admin')
    const { status } = await service.as(admins.token).post(tokens, { name: 'x' })
    expect(status).toBe(201)
  })
})

describe('GET /v1/service-accounts/:id/tokens', () => {
  test('lists them oldest first without their text, in pages, in one query beside authentication', async () => {
    const account = await serviceAccount(ctx, 'service')
    const url = `/v1/service-accounts/${account.id}/tokens`
    ctx.clock.advance(61)
    const { token: _, ...second } = (await admin.post(url, { name: 'second' })).body
    const { status, body } = await admin.get(url)
    expect(status).toBe(200)
    expect(body.data.map((token: { name: string }) => token.name)).toEqual(['test', 'second'])
    expect(body.data[1]).toEqual(second)
    expect((await admin.get(`${url}?limit=0`)).status).toBe(400)
    const first = await admin.get(`${url}?limit=1`)
    const rest = await admin.get(`${url}?limit=1&cursor=${first.body.nextCursor}`)
    expect([...first.body.data, ...rest.body.data]).toEqual(body.data)
    expect(rest.body.nextCursor).toBeNull()
    expect(await countStatements(ctx, () => admin.get(url))).toBe(2)
    for (const { id } of body.data) expect((await admin.delete(`${url}/${id}`)).status).toBe(204)
    expect(await admin.get(url)).toMatchObject({ status: 200, body: { data: [] } })
    const beyond = await admin.get(`${url}?cursor=${first.body.nextCursor}`)
    expect(beyond).toMatchObject({ status: 200, body: { data: [], nextCursor: null } })
  })
})

describe('DELETE /v1/service-accounts/:id/tokens/:token_id', () => {
  test('revokes it on every replica, once', async () => {
    const db = openDatabase(ctx.database.config, { max: 2 })
    try {
      const there = api({ ...ctx, db })
      const { body } = await admin.post(tokens, { name: 'gone' })
      expect((await there.as(body.token).get('/v1/me')).status).toBe(200)
      const answers = await Promise.all([
        admin.delete(`${tokens}/${body.id}`),
        there.as(ada.token).delete(`${tokens}/${body.id}/`),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404])
      expect((await there.as(body.token).get('/v1/me')).status).toBe(401)
      const [, deleted, ...more] = await entriesAbout(ctx, body.id)
      expect(deleted).toMatchObject({
        event_type: 'token.deleted',
        resource_metadata: { name: 'gone', expiresAt: null, ownerId: robot.id },
        description: 'Service account token "gone" deleted.',
      })
      expect(more).toEqual([])
    } finally {
      await db.end()
    }
  })

  test("is 404 for another service account's token and for a member's, and keeps them", async () => {
    const other = await serviceAccount(ctx, 'service')
    const rows = await ctx.db<{ id: string }[]>`
      select id from tokens where principal_id in (${other.id}, ${ada.id})`
    for (const id of [...rows.map((row) => row.id), 'nonsense']) {
      expect(await admin.delete(`${tokens}/${id}`)).toMatchObject({
        status: 404,
        body: { error: 'Token not found.' },
      })
    }
    expect((await service.as(other.token).get('/v1/me')).status).toBe(200)
  })

  test('deleting a service account while a token is created leaves no token', async () => {
    for (let round = 0; round < 5; round++) {
      const account = await serviceAccount(ctx, 'service')
      const url = `/v1/service-accounts/${account.id}`
      const [created, deleted] = await Promise.all([
        admin.post(`${url}/tokens`, { name: 'raced' }),
        admin.delete(url),
      ])
      expect(deleted.status).toBe(204)
      expect([201, 404]).toContain(created.status)
      expect(await ctx.db`select 1 from tokens where principal_id = ${account.id}`).toHaveLength(0)
    }
  })
})
