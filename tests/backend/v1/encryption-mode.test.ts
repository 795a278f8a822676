import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api, type Client } from '../../support/api.ts'
import { app, appWith } from '../../support/apps.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testContext, uniqueName } from '../../support/context.ts'
import { member, owner, type Person, roleOf } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let admin: Client

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  admin = service.as(ada.token)
})
afterAll(() => ctx.close())

/** Someone with these permissions, who can open every environment of the app. */
async function withPermissions(appId: string, permissions: object, app_permissions: object): Promise<Client> {
  const role = { name: uniqueName('Role'), permissions: { permissions, app_permissions } }
  const mel = await member(ctx, { id: (await admin.post('/v1/roles', role)).body.id })
  const { environments } = (await admin.get(`/v1/apps/${appId}`)).body
  const ids = environments.map(({ id }: { id: string }) => id)
  const granted = await admin.put(`/v1/members/${mel.id}/access`, {
    apps: [{ id: appId, environments: ids }],
  })
  expect(granted.status).toBe(200)
  return service.as(mel.token)
}
const refusal = { status: 403, body: { error: "You don't have permission to update encryption mode." } }

describe('server-side encryption of an app', () => {
  test('is on at first, in every answer', async () => {
    const { body: made } = await admin.post('/v1/apps', { name: uniqueName('App') })
    expect(made.sseEnabled).toBe(true)
    expect((await admin.get(`/v1/apps/${made.id}`)).body.sseEnabled).toBe(true)
    const { body: list } = await admin.get('/v1/apps')
    expect(list.data.find(({ id }: { id: string }) => id === made.id).sseEnabled).toBe(true)
  })

  test('is turned off and on again, each with an entry, and re-encrypts nothing', async () => {
    const { id, environments } = await app(ctx)
    const keys = () => ctx.db`
      select e.wrapped_seed, e.wrapped_salt, e.public_key, k.wrapped_seed as seed, k.wrapped_salt as salt
      from environments e join environment_keys k on k.environment_id = e.id
      where e.app_id = ${id} order by e.id, k.principal_id`
    const before = await keys()
    expect(before.length).toBeGreaterThanOrEqual(environments.length)
    for (const sse_enabled of [false, true]) {
      ctx.clock.advance(1)
      const { status, body } = await admin.put(`/v1/apps/${id}`, { sse_enabled })
      expect([status, body.sseEnabled, body.updatedAt]).toEqual([
        200,
        sse_enabled,
        ctx.clock.now().toISOString(),
      ])
      expect((await admin.get(`/v1/apps/${id}`)).body).toEqual(body)
    }
    expect(await keys()).toEqual(before)
    const entries = await entriesAbout(ctx, id)
    expect(
      entries.map(({ event_type, old_values, new_values }) => [
        event_type,
        (old_values as { sseEnabled: boolean }).sseEnabled,
        (new_values as { sseEnabled: boolean }).sseEnabled,
      ]),
    ).toEqual([
      ['app.updated', true, false],
      ['app.updated', false, true],
    ])
  })

  test('stays where other fields are changed, and sent as it is it changes nothing', async () => {
    const { id } = await app(ctx)
    await admin.put(`/v1/apps/${id}`, { sse_enabled: false })
    expect((await admin.put(`/v1/apps/${id}`, { description: 'x' })).body.sseEnabled).toBe(false)
    const { body: before } = await admin.get(`/v1/apps/${id}`)
    ctx.clock.advance(1)
    expect((await admin.unrecorded.put(`/v1/apps/${id}`, { sse_enabled: false })).body).toEqual(before)
  })

  test('is on for what a program writes that knows nothing of it, and kept by its changes', async () => {
    const { id } = await app(ctx)
    expect((await admin.get(`/v1/apps/${id}`)).body.sseEnabled).toBe(true)
    await admin.put(`/v1/apps/${id}`, { sse_enabled: false })
    const name = uniqueName('Renamed')
    await ctx.db`
      update apps set name = ${name}, name_key = ${name.toLowerCase()}, description = null, updated_at = now()
      where id = ${id}`
    expect((await admin.get(`/v1/apps/${id}`)).body).toMatchObject({ name, sseEnabled: false })
  })

  test.each(['true', 1, null, 'off', {}])('is 400 as %j', async (sse_enabled) => {
    const { id } = await app(ctx)
    expect(await admin.put(`/v1/apps/${id}`, { sse_enabled })).toMatchObject({
      status: 400,
      body: { error: 'sse_enabled must be a boolean.' },
    })
  })

  test('is no field of a new app, nor in camelCase', async () => {
    const { id } = await app(ctx)
    expect((await admin.post('/v1/apps', { name: uniqueName('App'), sse_enabled: false })).status).toBe(400)
    expect((await admin.put(`/v1/apps/${id}`, { sseEnabled: false })).body.error).toBe(
      'Unknown field "sseEnabled".',
    )
  })
})

describe('who may switch it', () => {
  test('needs Apps update and EncryptionMode update, each alone is not enough', async () => {
    const { id } = await app(ctx)
    const both = await withPermissions(id, { Apps: ['read', 'update'] }, { EncryptionMode: ['update'] })
    const appsOnly = await withPermissions(id, { Apps: ['read', 'update'] }, { EncryptionMode: ['read'] })
    const modeOnly = await withPermissions(id, { Apps: ['read'] }, { EncryptionMode: ['read', 'update'] })
    expect((await both.put(`/v1/apps/${id}`, { sse_enabled: false })).body.sseEnabled).toBe(false)
    expect(await appsOnly.put(`/v1/apps/${id}`, { sse_enabled: true })).toMatchObject(refusal)
    expect(await modeOnly.put(`/v1/apps/${id}`, { sse_enabled: true })).toMatchObject({
      status: 403,
      body: { error: "You don't have permission to update apps." },
    })
    expect((await admin.get(`/v1/apps/${id}`)).body.sseEnabled).toBe(false)
    const described = await appsOnly.put(`/v1/apps/${id}`, { description: 'x' })
    expect([described.status, described.body.sseEnabled]).toEqual([200, false])
  })

  test('is refused also where nothing would change, with other fields, and whatever the app; nothing is written', async () => {
    const { id } = await app(ctx)
    const { id: hidden } = await appWith(ctx, uniqueName('Hidden'), ['one'])
    const client = await withPermissions(id, { Apps: ['read', 'update'] }, {})
    const before = (await admin.get(`/v1/apps/${id}`)).body
    for (const path of [id, hidden, '4f9d5a52-6f0b-4a9e-8a3c-0d6f3b1c2e7a', 'nonsense'])
      for (const sse_enabled of [true, false])
        expect(await client.put(`/v1/apps/${path}`, { sse_enabled, description: 'Mine' })).toMatchObject(
          refusal,
        )
    expect((await admin.get(`/v1/apps/${id}`)).body).toEqual(before)
    const [entry] = await ctx.db`
      select resource_id, count from audit_entries where event_type = 'app.update_refused' and resource_id = ${id}`
    expect(entry).toMatchObject({ resource_id: id, count: 2 })
  })

  test('is 404 for an app that the caller can’t access', async () => {
    const { id } = await app(ctx)
    const { id: hidden } = await appWith(ctx, uniqueName('Hidden'), ['one'])
    const client = await withPermissions(id, { Apps: ['read', 'update'] }, { EncryptionMode: ['update'] })
    expect((await client.put(`/v1/apps/${hidden}`, { sse_enabled: false })).status).toBe(404)
    expect((await admin.get(`/v1/apps/${hidden}`)).body.sseEnabled).toBe(true)
  })

  test('is decided by the role that the caller holds when the app is locked', async () => {
    const { id } = await app(ctx)
    const manager = await member(ctx, 'manager')
    const { body: plain } = await admin.post('/v1/roles', {
      name: uniqueName('Plain'),
      permissions: { permissions: { Apps: ['read', 'update'] }, app_permissions: {} },
    })
    const { environments } = (await admin.get(`/v1/apps/${id}`)).body
    const ids = environments.map((environment: { id: string }) => environment.id)
    await admin.put(`/v1/members/${manager.id}/access`, { apps: [{ id, environments: ids }] })
    let late: Promise<{ status: number }> | undefined
    const { organisation_id } = await roleOf(ctx, 'manager')
    await ctx.db.begin(async (tx) => {
      await tx`select 1 from organisations where id = ${organisation_id} for no key update`
      late = service.as(manager.token).put(`/v1/apps/${id}`, { sse_enabled: false })
      await Bun.sleep(100)
      await tx`update principals set role_id = ${plain.id}, role_kind = 'custom' where id = ${manager.id}`
    })
    expect(await late).toMatchObject(refusal)
    expect((await admin.get(`/v1/apps/${id}`)).body.sseEnabled).toBe(true)
  })

  test('loses to nobody: of two who switch it with the same ETag one is told', async () => {
    const { id } = await app(ctx)
    const { headers } = await admin.get(`/v1/apps/${id}`)
    ctx.clock.advance(1)
    const send = (sse_enabled: boolean, description: string) =>
      admin.send('PUT', `/v1/apps/${id}`, {
        headers: { 'if-match': headers.get('etag') ?? '', 'content-type': 'application/json' },
        body: JSON.stringify({ sse_enabled, description }),
      })
    const both = await Promise.all([send(false, 'off'), send(true, 'on')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
  })
})
