import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { DEFAULT_ROLES } from '../../../src/core/permissions.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, roleOf, serviceAccount } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

const nothing = { permissions: {}, app_permissions: {} }

describe('GET /v1/roles', () => {
  test('lists the five default roles in their order, without permissions', async () => {
    const { status, body } = await service.as(ada.token).get('/v1/roles/')
    expect(status).toBe(200)
    expect(body.data.map((role: { name: string }) => role.name)).toEqual([
      'Owner',
      'Admin',
      'Manager',
      'Developer',
      'Service',
    ])
    expect(body.data[0]).toEqual({
      id: expect.any(String),
      name: 'Owner',
      description: null,
      color: '',
      isDefault: true,
      createdAt: '2026-01-01T00:00:00.000Z',
      memberCount: 1,
      serviceAccountCount: 0,
    })
    expect(body).not.toHaveProperty('nextCursor')
  })

  test('is 401 without credentials, with the WWW-Authenticate header', async () => {
    const { status, body, headers } = await service.anonymous.get('/v1/roles')
    expect(status).toBe(401)
    expect(body).toEqual({ error: 'Authentication credentials were not provided.' })
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })
})

describe('POST /v1/roles', () => {
  test('creates a custom role and returns it as stored', async () => {
    const permissions = { permissions: { Apps: ['read', 'create'] }, app_permissions: { Secrets: ['read'] } }
    const { status, body } = await service
      .as(ada.token)
      .post('/v1/roles/', { name: ' Auditor ', permissions, color: '#0a0' })
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Auditor',
      description: null,
      color: '#0a0',
      isDefault: false,
      createdAt: '2026-01-01T00:00:00.000Z',
      permissions: {
        permissions: { Apps: ['read', 'create'] },
        appPermissions: { Secrets: ['read'] },
        globalAccess: false,
      },
    })
    expect(status).toBe(201)
  })

  test('is 409 for a name that is taken, in any case, also by a default role', async () => {
    const role = { permissions: { permissions: {}, app_permissions: {} } }
    expect((await service.as(ada.token).post('/v1/roles', { name: 'Taken', ...role })).status).toBe(201)
    for (const name of ['tAKEN', 'owner']) {
      expect(await service.as(ada.token).post('/v1/roles', { name, ...role })).toMatchObject({
        status: 409,
        body: { error: 'A role with this name already exists.' },
      })
    }
  })

  test('answers 401, then 403, then 400 for the same bad body', async () => {
    const developer = await member(ctx, 'developer')
    const bad = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await service.anonymous.send('POST', '/v1/roles', bad)).status).toBe(401)
    const refused = await service.as(developer.token).send('POST', '/v1/roles', bad)
    expect(refused).toMatchObject({
      status: 403,
      body: { error: "You don't have permission to create roles." },
    })
    expect((await service.as(ada.token).send('POST', '/v1/roles', bad)).status).toBe(400)
    const typed = { body: '{}', headers: { 'content-type': 'text/plain' } }
    expect((await service.as(ada.token).send('POST', '/v1/roles', typed)).status).toBe(415)
  })

  test.each([
    [{ name: 'x', permissions: { ...nothing, globalAccess: true } }, /globalAccess/],
    [{ name: 'x', permissions: { permissions: {}, app_permissions: {}, appPermissions: {} } }, /not both/],
    [{ name: 'x', permissions: { permissions: {} } }, /exactly the keys/],
    [
      { name: 'x', permissions: { permissions: { Robots: [] }, app_permissions: {} } },
      /"Robots"; valid are Organisation/,
    ],
    [{ name: 'x', permissions: { permissions: { Logs: ['create'] }, app_permissions: {} } }, /valid: read\./],
    [{ name: 'x'.repeat(65), permissions: nothing }, /name must have at most 64 characters/],
    [{ name: '  ', permissions: nothing }, /name is required/],
    [{ permissions: nothing }, /name is required/],
    [{ name: 'x', permissions: nothing, colour: '#fff' }, /Unknown field "colour"/],
    [{ name: 'x', permissions: nothing, color: 'red' }, /color/],
    [{ name: 'x', permissions: nothing, description: 'y'.repeat(501) }, /description must have at most 500/],
    [[], /The body must be an object/],
  ])('refuses %j', async (input, sentence) => {
    const { status, body } = await service.as(ada.token).post('/v1/roles', input)
    expect(body.error).toMatch(sentence)
    expect(status).toBe(400)
  })
})

describe('GET /v1/roles/:id', () => {
  test('gives a default role with its built-in permissions', async () => {
    const owner = await roleOf(ctx, 'owner')
    const { status, body } = await service.as(ada.token).get(`/v1/roles/${owner.id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'Owner', isDefault: true, description: null, color: '' })
    expect(body.permissions.globalAccess).toBe(true)
    expect(body.permissions.permissions).toEqual(DEFAULT_ROLES[0]?.permissions.permissions)
    expect(body.permissions.appPermissions).toEqual(DEFAULT_ROLES[0]?.permissions.appPermissions)
  })

  test('is 404 for an unknown or malformed id; credentials and permission are checked first', async () => {
    const nobody = await member(ctx, { id: await custom('Nobody') })
    for (const id of [randomUUID(), 'x']) {
      expect((await service.as(ada.token).get(`/v1/roles/${id}`)).body).toEqual({ error: 'Role not found.' })
      expect((await service.as(nobody.token).get(`/v1/roles/${id}`)).status).toBe(403)
      expect((await service.anonymous.get(`/v1/roles/${id}`)).status).toBe(401)
    }
  })
})

describe('PUT /v1/roles/:id', () => {
  const put = (id: string, body: unknown, caller = ada.token) =>
    service.as(caller).put(`/v1/roles/${id}`, body)

  test('changes what is sent and keeps the rest; permissions are replaced in full', async () => {
    const id = await custom('Before', {
      permissions: { Apps: ['read'] },
      app_permissions: { Logs: ['read'] },
    })
    const renamed = await put(id, { name: 'After', description: 'x', color: '#abcdef' })
    expect(renamed.status).toBe(200)
    expect(renamed.body).toMatchObject({ id, name: 'After', description: 'x', color: '#abcdef' })
    expect(renamed.body.permissions.permissions).toEqual({ Apps: ['read'] })
    const replaced = await put(id, {
      description: null,
      permissions: { permissions: {}, appPermissions: { Secrets: ['read'] } },
    })
    expect(replaced.body).toMatchObject({ name: 'After', description: null })
    expect(replaced.body.permissions).toEqual({
      permissions: {},
      appPermissions: { Secrets: ['read'] },
      globalAccess: false,
    })
    expect((await service.as(ada.token).get(`/v1/roles/${id}`)).body).toEqual(replaced.body)
    const entries =
      await ctx.db`select event_type from audit_entries where resource_id = ${id} order by timestamp, event_type`
    expect(entries.map((entry) => entry.event_type)).toEqual(['role.created', 'role.updated', 'role.updated'])
  })

  test('writes nothing when nothing changes', async () => {
    const id = await custom('Same')
    const same = await service
      .as(ada.token)
      .unrecorded.put(`/v1/roles/${id}`, { name: 'Same', description: null })
    expect(same.status).toBe(200)
    expect(await ctx.db`select 1 from audit_entries where resource_id = ${id}`).toHaveLength(1)
  })

  test('refuses an empty body, a default role, an unknown role and a name that is taken in any case', async () => {
    const id = await custom('Unique Name')
    const other = await custom('Other Name')
    expect(await put(id, {})).toMatchObject({
      status: 400,
      body: { error: 'At least one field must be present.' },
    })
    expect((await put((await roleOf(ctx, 'admin')).id, { name: 'x' })).status).toBe(403)
    expect((await put(randomUUID(), { name: 'x' })).status).toBe(404)
    expect((await put(other, { name: 'UNIQUE NAME' })).status).toBe(409)
    expect((await put(other, { name: 'ｕｎｉｑｕｅ ｎａｍｅ' })).status).toBe(409)
    expect((await put(other, { name: 'mAnAgEr' })).status).toBe(409)
    expect((await put(other, { name: 'OTHER NAME' })).status).toBe(200)
    expect((await put(id, { permissions: { ...nothing, global_access: true } })).status).toBe(400)
  })

  test('concurrent changes end in the state of one of them', async () => {
    const id = await custom('Raced')
    const replica = api(ctx)
    for (let round = 0; round < 5; round++) {
      const states = [`One ${round}`, `Two ${round}`].map((name) => ({ name, description: name }))
      const answers = await Promise.all([
        put(id, states[0]),
        replica.as(ada.token).put(`/v1/roles/${id}`, states[1]),
      ])
      expect(answers.map((answer) => answer.status)).toEqual([200, 200])
      const { name, description } = (await service.as(ada.token).get(`/v1/roles/${id}`)).body
      expect(states).toContainEqual({ name, description })
    }
  })

  test('of two concurrent changes to one name, one succeeds', async () => {
    const ids = [await custom('Left'), await custom('Right')]
    const answers = await Promise.all(ids.map((id) => put(id, { name: 'Wanted' })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
  })
})

describe('privilege escalation by roles is refused', () => {
  const all = { Roles: ['create', 'read', 'update', 'delete'], Apps: ['read'] }

  test('a caller without global access can give only permissions that it has', async () => {
    const clerk = await member(ctx, { id: await custom('Clerk', { permissions: all, app_permissions: {} }) })
    const as = service.as(clerk.token)
    const beyond = { permissions: { Apps: ['read', 'update'] }, app_permissions: {} }
    const refused = await as.post('/v1/roles', { name: 'Beyond', permissions: beyond })
    expect(refused).toMatchObject({ status: 403, body: { error: expect.stringContaining('update on Apps') } })
    const id = await custom('Weak', { permissions: { Billing: ['read'] }, app_permissions: {} })
    expect((await as.put(`/v1/roles/${id}`, { permissions: beyond })).status).toBe(403)
    expect((await as.put(`/v1/roles/${id}`, { name: 'Weaker' })).status).toBe(200)
    const kept = { permissions: { Billing: ['read'], Apps: ['read'] }, app_permissions: {} }
    expect((await as.put(`/v1/roles/${id}`, { permissions: kept })).status).toBe(200)
    expect(
      (
        await as.post('/v1/roles', {
          name: 'Within',
          permissions: { permissions: { Apps: ['read'] }, app_permissions: {} },
        })
      ).status,
    ).toBe(201)
  })

  test("a caller without global access can't change its own role", async () => {
    const id = await custom('Own', { permissions: all, app_permissions: {} })
    const clerk = await member(ctx, { id })
    const robot = await serviceAccount(ctx, { id })
    for (const { token } of [clerk, robot]) {
      expect((await service.as(token).put(`/v1/roles/${id}`, { description: 'mine' })).status).toBe(403)
    }
  })
})

describe('DELETE /v1/roles/:id', () => {
  test('deletes a custom role that is not in use', async () => {
    const id = await custom('Short-lived')
    expect(await service.as(ada.token).delete(`/v1/roles/${id}`)).toMatchObject({ status: 204, body: '' })
    expect((await service.as(ada.token).get(`/v1/roles/${id}`)).status).toBe(404)
    expect((await service.as(ada.token).delete(`/v1/roles/${id}`)).status).toBe(404)
  })

  test('is 403 for a default role, with the sentence of the contract', async () => {
    const { status, body } = await service
      .as(ada.token)
      .delete(`/v1/roles/${(await roleOf(ctx, 'service')).id}`)
    expect({ status, body }).toEqual({ status: 403, body: { error: 'Default roles cannot be deleted.' } })
  })

  test('is 409 while a member, a service account or a pending invite has it', async () => {
    const [byMember, byAccount, byInvite] = [await custom('M'), await custom('A'), await custom('I')]
    await member(ctx, { id: byMember })
    await serviceAccount(ctx, { id: byAccount })
    await service.as(ada.token).post('/v1/members/invites', { email: 'new@example.org', role_id: byInvite })
    for (const id of [byMember, byAccount, byInvite]) {
      expect((await service.as(ada.token).delete(`/v1/roles/${id}`)).status).toBe(409)
    }
    ctx.clock.advance(15 * 24 * 3600)
    expect((await service.as(ada.token).delete(`/v1/roles/${byInvite}`)).status).toBe(204)
  })

  test('is 401 without credentials and 403 without the permission', async () => {
    const id = await custom('Guarded')
    const developer = await member(ctx, 'developer')
    expect((await service.anonymous.delete(`/v1/roles/${id}`)).status).toBe(401)
    expect((await service.as(developer.token).delete(`/v1/roles/${id}`)).status).toBe(403)
  })
})

test('on the free plan creating and changing custom roles is refused before the body is read; deleting works', async () => {
  const free = await testContext({ ORGANISATION_PLAN: 'free' })
  const grace = await owner(free)
  const as = api(free).as(grace.token)
  const sentence = "Custom roles are not available on your organisation's plan."
  const bad = { body: '{', headers: { 'content-type': 'application/json' } }
  expect(await as.send('POST', '/v1/roles', bad)).toMatchObject({ status: 403, body: { error: sentence } })
  expect(await as.send('PUT', `/v1/roles/${randomUUID()}`, bad)).toMatchObject({
    status: 403,
    body: { error: sentence },
  })
  expect((await as.delete(`/v1/roles/${randomUUID()}`)).status).toBe(404)
  await free.close()
})

/** A new custom role; gives its id. */
async function custom(name: string, permissions: object = nothing): Promise<string> {
  const { status, body } = await service.as(ada.token).post('/v1/roles', { name, permissions })
  expect({ status, body }).toMatchObject({ status: 201 })
  return body.id
}
