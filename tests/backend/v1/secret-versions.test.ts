import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api, type Client } from '../../support/api.ts'
import { app, grant } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, serviceAccount } from '../../support/people.ts'
import { seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

let ctx: TestContext
let ada: Person
let stranger: Client
let nobody: Client
let admin: Client
let client: Client
let service: ReturnType<typeof api>
let environmentId: string
let secrets: ReturnType<typeof secretsOf>
// biome-ignore lint/suspicious/noExplicitAny: what the API answers
let one: any

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  client = service.as(ada.token)
  admin = service.as((await member(ctx, 'admin')).token)
  stranger = service.as((await member(ctx, 'developer')).token)
  const permissions = { permissions: {}, app_permissions: {} }
  const { body } = await client.post('/v1/roles', { name: 'Nothing', permissions })
  nobody = service.as((await member(ctx, { id: body.id })).token)
})
beforeEach(async () => {
  environmentId = (await app(ctx)).environments[0]?.id ?? ''
  secrets = secretsOf(client, environmentId)
  one = (await secrets('POST', [sealedSecret('ONE', 'first')])).body[0]
})
afterAll(() => ctx.close())

const versionsOf = async (id = one.id, query = '') => await client.get(`/v1/secrets/${id}/versions${query}`)
const restore = (version: number, id = one.id) => client.post(`/v1/secrets/${id}/restore`, { version })

describe('GET /v1/secrets/:id/versions', () => {
  test('lists every state without ciphertext, and with it where that is asked for', async () => {
    const value = seal('second')
    await secrets('PUT', [{ id: one.id, value, path: '/db', tags: ['db'], type: 'config' }])
    await secrets('DELETE', [one.id])
    const { status, body } = await versionsOf()
    expect(status).toBe(200)
    const at = ctx.clock.now().toISOString()
    const common = {
      id: one.id,
      expiresAt: null,
      createdAt: at,
      actor: { type: 'user', id: ada.id, name: 'Ada Example' },
    }
    const later = { path: '/db', tags: ['db'], type: 'config' }
    expect(body).toEqual([
      { ...common, version: 1, event: 'created', path: '/', tags: [], type: 'secret' },
      { ...common, ...later, version: 2, event: 'updated' },
      { ...common, ...later, version: 3, event: 'deleted' },
    ])
    const texts = (await versionsOf(one.id, '?values=true')).body
    expect(texts.map((version: { value: string }) => version.value)).toEqual([one.value, value, value])
    expect(texts[0]).toMatchObject({ key: one.key, keyDigest: one.key_digest, comment: '' })
  })

  test('is 400 for another word than true or false, 401, 403 and 404', async () => {
    expect((await versionsOf(one.id, '?values=yes')).status).toBe(400)
    const path = `/v1/secrets/${one.id}/versions`
    expect((await service.anonymous.get(path)).status).toBe(401)
    expect((await nobody.get(path)).status).toBe(403)
    expect((await stranger.get(path)).status).toBe(404)
    expect((await versionsOf(randomUUID())).status).toBe(404)
    expect((await versionsOf('x')).status).toBe(404)
  })
})

describe('POST /v1/secrets/:id/restore', () => {
  test('brings an earlier state back as a new version', async () => {
    await secrets('PUT', [{ id: one.id, value: seal('second'), path: '/db', tags: ['db'] }])
    const { status, body } = await restore(1)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: one.id, version: 3, value: one.value, path: '/', tags: [] })
    expect((await secrets('GET')).body).toEqual([{ ...one, version: 3 }])
    expect((await versionsOf()).body[2]).toMatchObject({ version: 3, event: 'restored', path: '/' })
  })

  test('brings a deleted secret back under its id', async () => {
    await secrets('DELETE', [one.id])
    expect((await restore(1)).body).toMatchObject({ id: one.id, version: 3, value: one.value })
    expect((await secrets('GET')).body).toEqual([{ ...one, version: 3 }])
  })

  test('changes nothing where the secret is what it was', async () => {
    expect((await restore(1)).body).toMatchObject({ version: 1 })
    expect((await versionsOf()).body).toHaveLength(1)
  })

  test('is 409 where the name is taken by now', async () => {
    await secrets('DELETE', [one.id])
    await secrets('POST', [sealedSecret('ONE')])
    expect((await restore(1)).status).toBe(409)
    expect((await secrets('GET')).body).toHaveLength(1)
  })

  test('leaves a sealed secret sealed, a deleted one too', async () => {
    await secrets('PUT', [{ id: one.id, type: 'sealed', value: seal('second') }])
    expect((await restore(1)).body).toMatchObject({ version: 3, value: one.value, type: 'sealed' })
    await secrets('DELETE', [one.id])
    expect((await restore(1)).body).toMatchObject({ version: 5, type: 'sealed' })
  })

  test('is 400, 401, 403 and 404', async () => {
    for (const version of [0, -1, 1.5, '1', null, 2 ** 31]) {
      expect((await client.post(`/v1/secrets/${one.id}/restore`, { version })).status).toBe(400)
    }
    expect((await restore(2)).status).toBe(404)
    expect((await restore(1, randomUUID())).status).toBe(404)
    const path = `/v1/secrets/${one.id}/restore`
    expect((await service.anonymous.post(path, { version: 1 })).status).toBe(401)
    expect((await nobody.post(path, { version: 1 })).status).toBe(403)
    expect((await stranger.post(path, { version: 1 })).status).toBe(404)
  })
})

describe('PUT and DELETE /v1/secrets/:id/override', () => {
  const path = () => `/v1/secrets/${one.id}/override`

  test('set a value that only its owner sees, and remove it', async () => {
    const value = seal('mine')
    const { status, body } = await client.put(path(), { value })
    expect(status).toBe(200)
    const at = ctx.clock.now().toISOString()
    expect(body).toEqual({
      id: expect.any(String),
      secret: one.id,
      value,
      isActive: true,
      createdAt: at,
      updatedAt: at,
    })
    const listed = (await secrets('GET')).body[0]
    expect(listed).toMatchObject({ version: 1, override: { id: body.id, is_active: true, value } })
    expect((await secretsOf(admin, environmentId)('GET')).body[0].override).toBeNull()
    expect((await client.put(path(), { is_active: false })).body).toEqual({ ...body, isActive: false })
    expect(await client.delete(path())).toMatchObject({ status: 200 })
    expect((await secrets('GET')).body[0].override).toBeNull()
    expect((await client.delete(path())).status).toBe(404)
    expect((await versionsOf()).body).toHaveLength(1)
  })

  test('seal a value in clear where the app has server-side encryption on, and refuse it where not', async () => {
    const { body } = await client.put(path(), { plain_value: 'mine' })
    expect(body.value).toStartWith('ph:v1:')
    const events = async () => {
      const { body } = await client.get('/v1/logs/audit?event_type=secret.override_changed')
      return body.data.length as number
    }
    const before = await events()
    for (const same of [{ plain_value: 'mine' }, { plain_value: 'mine', is_active: true }]) {
      expect((await client.unrecorded.put(path(), same)).body).toEqual(body)
    }
    expect(await events()).toBe(before)
    expect((await client.put(path(), { plain_value: 'other' })).body.value).not.toBe(body.value)
    expect(await events()).toBe(before + 1)
    await ctx.db`update apps set sse_enabled = false`
    const off = await client.put(path(), { plain_value: 'mine' })
    expect(off).toMatchObject({ status: 400, body: { error: 'Server-side encryption is off for this app.' } })
  })

  test('are 400 for no value, two of them, one that is not sealed or too large', async () => {
    const value = seal('mine')
    const bodies = [{}, { value, plain_value: 'x' }, { value: 'x' }, { plain_value: 'x'.repeat(65_537) }]
    for (const body of bodies) expect((await client.put(path(), body)).status).toBe(400)
    expect((await client.put(path(), { is_active: true })).status).toBe(400)
  })

  test('are 403 for a service account, 401, 403 and 404', async () => {
    const robot = await serviceAccount(ctx, 'service')
    const { environments } = await import('../../support/apps.ts').then(async ({ appWith }) =>
      appWith(ctx, `Robots ${randomUUID()}`, ['One']),
    )
    await grant(ctx, robot.id, environments)
    await grant(ctx, ada.id, environments).catch(() => {})
    const own = secretsOf(service.as(robot.token), environments[0]?.id ?? '')
    const [theirs] = (await own('POST', [sealedSecret('ROBOT')])).body
    const robotPath = `/v1/secrets/${theirs.id}/override`
    expect((await service.as(robot.token).put(robotPath, { value: seal('x') })).status).toBe(403)
    expect((await service.as(robot.token).delete(robotPath)).status).toBe(403)
    expect((await own('PUT', [{ id: theirs.id, override: { value: seal('x') } }])).status).toBe(403)
    expect((await own('POST', [sealedSecret('X', 'x', { override: { value: seal('x') } })])).status).toBe(403)
    expect((await own('GET')).body).toHaveLength(1)
    for (const send of ['put', 'delete'] as const) {
      const body = { value: seal('x') }
      expect((await service.anonymous[send](path(), body)).status).toBe(401)
      expect((await nobody[send](path(), body)).status).toBe(403)
      expect((await stranger[send](path(), body)).status).toBe(404)
    }
  })
})
