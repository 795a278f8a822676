import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { App } from '../../../src/core/apps/app.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let manager: Person
let nobody: Person
let service: ReturnType<typeof api>
let target: App

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  manager = await member(ctx, 'manager')
  const permissions = { permissions: {}, app_permissions: {} }
  const { body } = await service.as(ada.token).post('/v1/roles', { name: 'Nothing', permissions })
  nobody = await member(ctx, { id: body.id })
})
beforeEach(async () => {
  target = await newApp()
})
afterAll(() => ctx.close())

const newApp = async (): Promise<App> => {
  const input = { name: `App ${randomUUID()}`, environments: ['Development', 'Production'] }
  return (await service.as(ada.token).post('/v1/apps', input)).body
}
const inApp = (id = target.id) => `/v1/environments?app_id=${id}`
const development = () => target.environments[0]?.id ?? ''
const path = () => `/v1/environments/${development()}`
const entriesOf = async (id: string): Promise<readonly unknown[]> =>
  await ctx.db`
  select event_type, resource_type, app_id, environment_id, actor_id, resource_metadata, old_values, new_values
  from audit_entries where resource_id = ${id} order by timestamp`

/** Without the entry of its creation with its app. */
const laterEntriesOf = async (id: string) => (await entriesOf(id)).slice(1)

describe('POST /v1/environments', () => {
  test('adds an environment after the others', async () => {
    const { status, body } = await service.as(ada.token).post(inApp(), { name: 'QA' })
    const at = ctx.clock.now().toISOString()
    expect(body).toEqual({
      id: expect.any(String),
      name: 'QA',
      envType: 'custom',
      index: 2,
      createdAt: at,
      updatedAt: at,
    })
    expect(status).toBe(201)
    expect((await service.as(ada.token).get(`/v1/environments/${body.id}`)).body).toEqual(body)
    expect(await entriesOf(body.id)).toEqual([
      {
        event_type: 'environment.created',
        resource_type: 'environment',
        app_id: target.id,
        environment_id: body.id,
        actor_id: ada.id,
        resource_metadata: { name: 'QA' },
        old_values: null,
        new_values: { name: 'QA', envType: 'custom' },
      },
    ])
  })

  test('knows the default names in any case, and starts again at 0 in an app without environments', async () => {
    const client = service.as(ada.token)
    expect((await client.post(inApp(), { name: 'STAGING' })).body).toMatchObject({
      envType: 'staging',
      index: 2,
    })
    const all = (await client.get(inApp())).body.data
    for (const { id } of all) expect((await client.delete(`/v1/environments/${id}`)).status).toBe(204)
    expect((await client.get(inApp())).body).toEqual({ data: [] })
    expect((await client.get(`/v1/apps/${target.id}`)).body.environments).toEqual([])
    expect((await client.post(inApp(), { name: 'QA' })).body.index).toBe(0)
  })

  test('is 409 for a name that the app has already, in whatever case; another app may have it', async () => {
    const refused = await service.as(ada.token).post(inApp(), { name: 'DEVELOPMENT' })
    expect(refused.body).toEqual({ error: 'An environment with this name already exists in this app.' })
    expect(refused.status).toBe(409)
    await service.as(ada.token).post(inApp(), { name: 'QA' })
    const other = await newApp()
    expect((await service.as(ada.token).post(inApp(other.id), { name: 'QA' })).status).toBe(201)
  })

  test('answers 401, then 403, then 400, then 404', async () => {
    expect((await service.anonymous.post(inApp('nonsense'), {})).status).toBe(401)
    expect(await service.as(nobody.token).post(inApp('nonsense'), {})).toMatchObject({
      status: 403,
      body: { error: "You don't have permission to create environments." },
    })
    expect((await service.as(ada.token).post(inApp('nonsense'), {})).status).toBe(400)
    for (const id of ['nonsense', '', randomUUID()]) {
      expect(await service.as(ada.token).post(inApp(id), { name: 'QA' })).toMatchObject({
        status: 404,
        body: { error: 'App not found.' },
      })
    }
  })

  test('is 400 without app_id', async () => {
    const { status, body } = await service.as(ada.token).post('/v1/environments', { name: 'QA' })
    expect(body).toEqual({ error: 'app_id is required.' })
    expect(status).toBe(400)
  })

  test.each([
    [{}, /name is required/],
    [{ name: null }, /name must be 1 to 64/],
    [{ name: ' QA' }, /name must be 1 to 64 letters, digits, hyphens and underscores/],
    [{ name: 'x'.repeat(65) }, /name must be 1 to 64/],
    [{ name: 'QA', type: 'prod' }, /Unknown field "type"/],
    [[], /The body must be an object/],
  ])('refuses %j', async (input, sentence) => {
    for (const answer of [
      await service.as(ada.token).post(inApp(), input),
      await service.as(ada.token).put(path(), input),
    ]) {
      expect(answer.body.error).toMatch(sentence)
      expect(answer.status).toBe(400)
    }
  })
})

describe('GET /v1/environments', () => {
  test('lists the environments of one app by index, whole or in pages', async () => {
    const client = service.as(ada.token)
    await client.post(inApp(), { name: 'QA' })
    const whole = await client.get(inApp())
    expect(whole.status).toBe(200)
    const environments: object[] = (await client.get(`/v1/apps/${target.id}`)).body.environments
    const counts = { secretCount: 0, secretsChangedAt: null, peopleCount: 1, machineCount: 0 }
    expect(whole.body).toEqual({ data: environments.map((row) => ({ ...row, ...counts })) })
    expect(whole.body.data.map((row: { name: string }) => row.name)).toEqual([
      'Development',
      'Production',
      'QA',
    ])
    const first = await client.get(`${inApp()}&limit=2`)
    expect(first.body).toEqual({
      data: whole.body.data.slice(0, 2),
      nextCursor: expect.any(String),
      total: 3,
    })
    const next = await client.get(`${inApp()}&limit=2&cursor=${first.body.nextCursor}`)
    expect(next.body).toEqual({ data: whole.body.data.slice(2), nextCursor: null, total: 3 })
  })

  test("refuses another app's cursor", async () => {
    const first = await service.as(ada.token).get(`${inApp()}&limit=1`)
    const other = await newApp()
    const refused = await service.as(ada.token).get(`${inApp(other.id)}&cursor=${first.body.nextCursor}`)
    expect(refused.status).toBe(400)
  })

  test('is 401, 403, 400 without app_id, 404 for an app that is not there', async () => {
    expect((await service.anonymous.get(inApp())).status).toBe(401)
    expect((await service.as(nobody.token).get(inApp())).status).toBe(403)
    expect(await service.as(ada.token).get('/v1/environments')).toMatchObject({
      status: 400,
      body: { error: 'app_id is required.' },
    })
    for (const id of ['nonsense', '', randomUUID()]) {
      expect((await service.as(ada.token).get(inApp(id))).status).toBe(404)
    }
  })
})

describe('one environment', () => {
  test('is 401 without credentials and 403 without the permission, whatever the method', async () => {
    expect((await service.anonymous.get(path())).status).toBe(401)
    expect((await service.anonymous.put(path(), { name: 'x' })).status).toBe(401)
    expect((await service.anonymous.delete(path())).status).toBe(401)
    expect((await service.as(nobody.token).get(path())).status).toBe(403)
    expect((await service.as(nobody.token).put(path(), { name: 'x' })).status).toBe(403)
    expect((await service.as(manager.token).delete(path())).status).toBe(403)
  })

  test.each([randomUUID(), 'nonsense', '%00'])('is 404 for the id %s', async (id) => {
    const client = service.as(ada.token)
    const missing = { status: 404, body: { error: 'Environment not found.' } }
    expect(await client.get(`/v1/environments/${id}`)).toMatchObject(missing)
    expect(await client.put(`/v1/environments/${id}`, { name: 'x' })).toMatchObject(missing)
    expect(await client.delete(`/v1/environments/${id}`)).toMatchObject(missing)
  })

  test('PUT renames it and keeps its type and its keys', async () => {
    const stored = () =>
      ctx.db`select env_type, public_key, wrapped_seed from environments where id = ${development()}`
    const before = (await service.as(ada.token).get(path())).body
    const keys = await stored()
    ctx.clock.advance(60)
    const { status, body } = await service.as(ada.token).put(path(), { name: 'Live' })
    expect(body).toEqual({ ...before, name: 'Live', updatedAt: ctx.clock.now().toISOString() })
    expect(status).toBe(200)
    expect((await service.as(ada.token).get(path())).body).toEqual(body)
    expect(await stored()).toEqual(keys)
    expect(await laterEntriesOf(development())).toMatchObject([
      {
        event_type: 'environment.updated',
        app_id: target.id,
        environment_id: development(),
        old_values: { name: 'Development' },
        new_values: { name: 'Live' },
      },
    ])
  })

  test('PUT of the same name writes nothing; of the same name in another case, it changes the case', async () => {
    ctx.clock.advance(60)
    const before = (await service.as(ada.token).get(path())).body
    const same = await service.as(ada.token).unrecorded.put(path(), { name: 'Development' })
    expect(same.body).toEqual(before)
    expect(await laterEntriesOf(development())).toHaveLength(0)
    expect((await service.as(ada.token).put(path(), { name: 'development' })).body.name).toBe('development')
    expect((await service.as(ada.token).put(path(), { name: 'PRODUCTION' })).status).toBe(409)
  })

  test('DELETE takes its key copies along', async () => {
    ctx.clock.advance(1)
    expect(await service.as(ada.token).delete(path())).toMatchObject({ status: 204, body: '' })
    expect((await service.as(ada.token).get(path())).status).toBe(404)
    expect((await service.as(ada.token).delete(path())).status).toBe(404)
    expect(await ctx.db`select 1 from environment_keys where environment_id = ${development()}`).toHaveLength(
      0,
    )
    expect(await laterEntriesOf(development())).toMatchObject([
      {
        event_type: 'environment.deleted',
        app_id: target.id,
        environment_id: development(),
        old_values: { name: 'Development', envType: 'dev' },
        new_values: null,
      },
    ])
  })
})
