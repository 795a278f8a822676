import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../../src/platform/postgres/database.ts'
import { clientIdentity, clientOpenWithToken } from '../../core/keys/published-format.ts'
import { api, type Client } from '../../support/api.ts'
import { entriesAbout, trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testContext, uniqueName } from '../../support/context.ts'
import { member, owner, type Person, roleOf, serviceAccount } from '../../support/people.ts'
import { countStatements } from '../../support/statements.ts'

let ctx: TestContext
let ada: Person & { organisationId: string }
let service: ReturnType<typeof api>
let admin: Client
let role: { id: string }

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  admin = service.as(ada.token)
  role = await roleOf(ctx, 'service')
})
afterAll(() => ctx.close())

const path = '/v1/service-accounts'
const create = async (name = uniqueName('Robot'), role_id = role.id) =>
  (await admin.post(path, { name, role_id })).body
const customRole = async (permissions: object, app_permissions: object = {}): Promise<string> =>
  (await admin.post('/v1/roles', { name: uniqueName('Role'), permissions: { permissions, app_permissions } }))
    .body.id

describe('POST /v1/service-accounts', () => {
  test('creates a service account with an identity key and a valid token, shown once', async () => {
    const { status, body } = await admin.post(`${path}/`, { name: ' Deploy bot ', role_id: role.id })
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Deploy bot',
      role: { id: role.id, name: 'Service' },
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      initialToken: {
        id: expect.any(String),
        name: 'Initial token',
        format: 'keyward',
        createdAt: '2026-01-01T00:00:00.000Z',
        expiresAt: null,
        lastUsedAt: null,
        createdBy: { type: 'user', id: ada.id, name: 'Ada Example' },
        token: expect.stringMatching(/^kw_sat_[0-9A-Za-z]{49}$/),
      },
    })
    expect(status).toBe(201)
    const { token, ...initialToken } = body.initialToken
    const keys = (await service.as(token).get('/v1/me/keys')).body
    const identity = clientIdentity(await clientOpenWithToken(token, keys.wrappedPrivateKey))
    expect(identity.identityPublicKey).toBe(keys.identityKey)
    expect(await entriesAbout(ctx, body.id)).toEqual([
      {
        event_type: 'service_account.created',
        resource_type: 'service_account',
        actor_id: ada.id,
        resource_metadata: { name: 'Deploy bot' },
        old_values: null,
        new_values: {
          name: 'Deploy bot',
          role: { id: role.id, name: 'Service' },
          initialToken: { id: initialToken.id, name: 'Initial token' },
        },
        description: 'Service account "Deploy bot" created with role "Service".',
      },
    ])
    expect(await trailAsText(ctx)).not.toContain('kw_')
  })

  test('names need not be unique, and the first token can be named', async () => {
    const twin = { name: 'Twin', role_id: role.id, token_name: 'ci' }
    const [one, two] = [await admin.post(path, twin), await admin.post(path, twin)]
    expect([one.status, two.status]).toEqual([201, 201])
    expect(two.body.initialToken.name).toBe('ci')
    expect(two.body.id).not.toBe(one.body.id)
  })

  test('refuses in the order: credentials, permission, shape, the role, rules about the role', async () => {
    const manager = await member(ctx, 'manager')
    const developer = await member(ctx, 'developer')
    const bad = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await service.anonymous.send('POST', path, bad)).status).toBe(401)
    expect(await service.as(developer.token).send('POST', path, bad)).toMatchObject({
      status: 403,
      body: { error: "You don't have permission to create service accounts." },
    })
    const as = service.as(manager.token)
    expect((await as.send('POST', path, bad)).status).toBe(400)
    for (const role_id of [randomUUID(), 'nonsense']) {
      expect(await as.post(path, { name: 'x', role_id })).toMatchObject({
        status: 404,
        body: { error: role_id === 'nonsense' ? 'Role not found.' : `Role "${role_id}" not found.` },
      })
    }
    for (const kind of ['owner', 'admin'] as const) {
      const { id } = await roleOf(ctx, kind)
      expect(await as.post(path, { name: 'x', role_id: id })).toMatchObject({
        status: 400,
        body: { error: 'A service account cannot hold a role with global access.' },
      })
    }
  })

  test('a caller without global access can give no further permissions, and a refusal writes nothing', async () => {
    const maker = await member(ctx, {
      id: await customRole({ ServiceAccounts: ['create'], Apps: ['read'] }, { Secrets: ['read'] }),
    })
    const as = service.as(maker.token)
    const within = await customRole({ Apps: ['read'] }, { Secrets: ['read'] })
    const beyond = await customRole({ Apps: ['read'] }, { Secrets: ['read', 'delete'] })
    expect((await as.post(path, { name: 'x', role_id: within })).status).toBe(201)
    const before = await ctx.db`select id from principals`
    expect(await as.post(path, { name: 'x', role_id: beyond })).toMatchObject({
      status: 403,
      body: { error: "Your own role does not allow delete on app-level Secrets, so you can't hand it out." },
    })
    expect(await ctx.db`select id from principals`).toHaveLength(before.length)
  })

  test('a Manager gives a service account the Service role, environments that it can access, and tokens', async () => {
    const manager = await member(ctx, 'manager')
    const as = service.as(manager.token)
    const app = (await as.post('/v1/apps', { name: uniqueName('App'), environments: ['A'] })).body
    const made = await as.post(path, { name: 'Deploy bot', role_id: role.id })
    expect(made.status).toBe(201)
    const account = `${path}/${made.body.id}`
    const environments = [app.environments[0].id]
    const { status } = await as.put(`${account}/access`, { apps: [{ id: app.id, environments }] })
    expect(status).toBe(200)
    const issued = await as.post(`${account}/tokens`, { name: 'ci' })
    expect(issued.status).toBe(201)
    for (const { token } of [made.body.initialToken, issued.body]) {
      expect((await service.as(token).get('/v1/apps')).body).toEqual({ data: [app] })
      const refused = await service.as(token).delete(`/v1/environments/${environments[0]}`)
      expect(refused).toMatchObject({
        status: 403,
        body: { error: "You don't have permission to delete environments." },
      })
    }
  })

  test.each([
    [{}, /is required/],
    [{ name: 'x' }, 'role_id is required.'],
    [{ name: 'x', role_id: 7 }, 'role_id must be a string.'],
    [{ name: 'x', role_id: null }, 'role_id must be a string.'],
    [{ name: '', role_id: 'x' }, 'name is required.'],
    [{ name: 'x'.repeat(65), role_id: 'x' }, 'name must have at most 64 characters.'],
    [{ name: 'x', role_id: 'x', token_name: null }, 'token_name must be a string.'],
    [{ name: 'x', role_id: 'x', token_name: 'y'.repeat(65) }, 'token_name must have at most 64 characters.'],
    [{ name: 'x', role_id: 'x', roleId: 'x' }, 'Unknown field "roleId".'],
  ])('refuses %j', async (input, sentence) => {
    const { status, body } = await admin.post(path, input)
    expect(body.error).toMatch(sentence)
    expect(status).toBe(400)
  })
})

describe('GET /v1/service-accounts', () => {
  test('lists accounts oldest first, in pages, with the same two statements however many', async () => {
    await create()
    ctx.clock.advance(1)
    const { initialToken: _, ...last } = await create()
    const { status, body } = await admin.get(`${path}/`)
    expect(status).toBe(200)
    const counts = { accessibleEnvironments: 0, globalAccess: false, tokenCount: 1, lastUsedAt: null }
    expect(body.data.at(-1)).toEqual({ ...last, ...counts })
    const paged = []
    for (let cursor = ''; ; ) {
      const page = await admin.get(`${path}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      paged.push(...page.body.data)
      if (page.body.nextCursor === null) break
      cursor = page.body.nextCursor
    }
    expect(paged).toEqual(body.data)
    expect(await countStatements(ctx, () => admin.get(path))).toBe(2)
    expect((await admin.get(`${path}?limit=0`)).status).toBe(400)
  })

  test('one service account lists its tokens without their text', async () => {
    const { initialToken, ...account } = await create()
    const { token: _, ...shown } = initialToken
    ctx.clock.advance(1)
    const second = await admin.post(`${path}/${account.id}/tokens`, { name: 'second', expires_in: 5 })
    const { token: __, ...shownSecond } = second.body
    const { status, body } = await admin.get(`${path}/${account.id}`)
    expect({ status, body }).toEqual({ status: 200, body: { ...account, tokens: [shown, shownSecond] } })
    expect(await countStatements(ctx, () => admin.get(`${path}/${account.id}`))).toBe(2)
    await admin.delete(`${path}/${account.id}/tokens/${shown.id}`)
    await admin.delete(`${path}/${account.id}/tokens/${shownSecond.id}`)
    expect((await admin.get(`${path}/${account.id}`)).body).toEqual({ ...account, tokens: [] })
  })

  test('shows no tokens to a caller that may read accounts but not their tokens', async () => {
    const { initialToken: _, ...account } = await create()
    const reader = await member(ctx, { id: await customRole({ ServiceAccounts: ['read'] }) })
    expect((await service.as(reader.token).get(`${path}/${account.id}`)).body).toEqual(account)
    expect((await service.as(reader.token).get(`${path}/${account.id}/tokens`)).status).toBe(403)
  })
})

describe('PUT /v1/service-accounts/:id', () => {
  test('renames it and gives it another role, which decides from the next request on', async () => {
    const { id, initialToken, ...before } = await create('Old')
    const robot = service.as(initialToken.token)
    expect((await robot.get('/v1/roles')).status).toBe(200)
    const mute = await customRole({ Apps: ['read'] })
    ctx.clock.advance(60)
    const { status, body } = await admin.put(`${path}/${id}`, { name: 'New', role_id: mute })
    expect(body).toEqual({
      id,
      name: 'New',
      role: { id: mute, name: expect.any(String) },
      createdAt: before.createdAt,
      updatedAt: ctx.clock.now().toISOString(),
    })
    expect(status).toBe(200)
    expect((await robot.get('/v1/roles')).status).toBe(403)
    const [, updated] = await entriesAbout(ctx, id)
    expect(updated).toMatchObject({
      event_type: 'service_account.updated',
      old_values: { name: 'Old', role: { id: role.id, name: 'Service' } },
      new_values: { name: 'New', role: body.role },
    })
    expect((await admin.get(`${path}/${id}`)).body).toMatchObject(body)
  })

  test('a field that is not sent keeps its value, and the same values write nothing', async () => {
    const { id, initialToken: _, ...account } = await create('Same')
    ctx.clock.advance(60)
    const same = await admin.unrecorded.put(`${path}/${id}`, { name: 'Same', role_id: role.id })
    expect(same).toMatchObject({ status: 200, body: { id, ...account } })
    expect(await entriesAbout(ctx, id)).toHaveLength(1)
    const { body } = await admin.put(`${path}/${id}`, { name: 'Other' })
    expect(body.role).toEqual(account.role)
    expect(await entriesAbout(ctx, id)).toHaveLength(2)
  })

  test('refuses in the order: permission, shape, the account, the role, rules about the role', async () => {
    const { id } = await create()
    const manager = service.as((await member(ctx, 'manager')).token)
    const robot = service.as((await serviceAccount(ctx, 'service')).token)
    const owners = (await roleOf(ctx, 'owner')).id
    expect((await robot.put(`${path}/${id}`, {})).status).toBe(403)
    expect(await manager.put(`${path}/${randomUUID()}`, {})).toMatchObject({
      status: 400,
      body: { error: 'At least one field must be present.' },
    })
    expect((await manager.put(`${path}/${id}`, { name: null })).status).toBe(400)
    expect(await manager.put(`${path}/${randomUUID()}`, { role_id: 'nonsense' })).toMatchObject({
      status: 404,
      body: { error: 'Service account not found.' },
    })
    expect(await manager.put(`${path}/${id}`, { role_id: 'nonsense' })).toMatchObject({
      status: 404,
      body: { error: 'Role not found.' },
    })
    expect((await manager.put(`${path}/${id}`, { role_id: owners })).status).toBe(400)
    const beyond = (await roleOf(ctx, 'developer')).id
    const maker = service.as(
      (await member(ctx, { id: await customRole({ ServiceAccounts: ['update'] }) })).token,
    )
    expect((await maker.put(`${path}/${id}`, { role_id: beyond })).status).toBe(403)
    expect((await maker.put(`${path}/${id}`, { role_id: role.id, name: 'Kept its role' })).status).toBe(200)
  })

  test('a role deleted while it is assigned ends in exactly one of the two', async () => {
    const db = openDatabase(ctx.database.config, { max: 4 })
    const there = api({ ...ctx, db }).as(ada.token)
    try {
      for (let round = 0; round < 5; round++) {
        const { id } = await create()
        const other = await customRole({})
        const [assigned, deleted] = await Promise.all([
          there.put(`${path}/${id}`, { role_id: other }),
          admin.delete(`/v1/roles/${other}`),
        ])
        expect([
          [200, 409],
          [404, 204],
        ]).toContainEqual([assigned.status, deleted.status])
      }
    } finally {
      await db.end()
    }
  })
})

test('PUT /v1/service-accounts/:id/access is 400 without apps', async () => {
  const { id } = await create()
  expect(await admin.put(`${path}/${id}/access`, {})).toMatchObject({
    status: 400,
    body: { error: 'apps is required.' },
  })
})

describe('DELETE /v1/service-accounts/:id', () => {
  test('deletes its tokens and keys at once, and cancels the invites that it sent', async () => {
    const inviter = await customRole({ Members: ['create'] })
    const { id, name, initialToken } = await create(undefined, inviter)
    const sent = await invite(id, inviter)
    const { status, body } = await admin.delete(`${path}/${id}/`)
    expect([status, body]).toEqual([204, ''])
    expect((await service.as(initialToken.token).get('/v1/me')).status).toBe(401)
    expect((await admin.get(`${path}/${id}`)).status).toBe(404)
    expect((await admin.delete(`${path}/${id}`)).status).toBe(404)
    for (const table of ['principals', 'service_accounts']) {
      expect(await ctx.db`select 1 from ${ctx.db(table)} where id = ${id}`).toHaveLength(0)
    }
    expect(await ctx.db`select 1 from tokens where principal_id = ${id}`).toHaveLength(0)
    expect(await ctx.db`select 1 from invites where id = ${sent}`).toHaveLength(0)
    expect((await entriesAbout(ctx, id)).map((entry) => entry.event_type)).toEqual([
      'service_account.created',
      'service_account.deleted',
    ])
    expect(await entriesAbout(ctx, sent)).toMatchObject([
      { event_type: 'invite.cancelled', actor_id: ada.id, old_values: { role: { id: inviter } } },
    ])
    expect((await entriesAbout(ctx, id))[1]).toMatchObject({
      resource_metadata: { name },
      old_values: { name, role: { id: inviter } },
    })
    expect((await admin.delete(`/v1/roles/${inviter}`)).status).toBe(204)
  })

  test('keeps the invites of other senders', async () => {
    const { id } = await create()
    const sent = await invite(ada.id, role.id)
    await admin.delete(`${path}/${id}`)
    expect([...(await ctx.db`select state from invites where id = ${sent}`)]).toEqual([{ state: 'pending' }])
  })

  async function invite(invitedBy: string, roleId: string): Promise<string> {
    const id = randomUUID()
    const now = ctx.clock.now()
    const held = await roleOf(ctx, { id: roleId })
    await ctx.db`insert into invites ${ctx.db({ id, organisation_id: ada.organisationId, email: `${id}@example.org`, email_key: `${id}@example.org`, role_id: held.id, role_kind: held.kind, state: 'pending', nonce: Buffer.alloc(16), invited_by: invitedBy, created_at: now, expires_at: new Date(now.getTime() + 1e9) })}`
    return id
  }
})

describe('every route', () => {
  const routes = [
    ['GET', path, 'read service accounts'],
    ['POST', path, 'create service accounts'],
    ['GET', `${path}/nonsense`, 'read service accounts'],
    ['PUT', `${path}/nonsense`, 'update service accounts'],
    ['DELETE', `${path}/nonsense`, 'delete service accounts'],
    ['GET', `${path}/nonsense/tokens`, 'read service account tokens'],
    ['POST', `${path}/nonsense/tokens`, 'create service account tokens'],
    ['DELETE', `${path}/nonsense/tokens/nonsense`, 'delete service account tokens'],
  ] as const

  test.each(routes)(
    '%s %s is 401 without credentials and 403 without the permission',
    async (method, url, right) => {
      expect((await service.anonymous.send(method, url)).status).toBe(401)
      const developer = await member(ctx, 'developer')
      expect(await service.as(developer.token).send(method, url)).toMatchObject({
        status: 403,
        body: { error: `You don't have permission to ${right}.` },
      })
    },
  )

  test.each(routes.filter(([, url]) => url.includes('nonsense')))(
    '%s %s is 404 for an unknown account and a malformed id',
    async (method, url) => {
      const body = url.endsWith('/tokens') || method === 'PUT' ? { name: 'x' } : undefined
      for (const id of ['nonsense', randomUUID(), ada.id]) {
        const answer = await admin.send(method, url.replaceAll('nonsense', id), {
          ...(body !== undefined && {
            ...(method !== 'GET' && { body: JSON.stringify(body) }),
            headers: { 'content-type': 'application/json' },
          }),
        })
        expect(answer).toMatchObject({ status: 404, body: { error: 'Service account not found.' } })
      }
    },
  )
})
