import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { App } from '../../../src/core/apps/app.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let developer: Person
let nobody: Person
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  developer = await member(ctx, 'developer')
  const permissions = { permissions: {}, app_permissions: {} }
  const { body } = await service.as(ada.token).post('/v1/roles', { name: 'Nothing', permissions })
  nobody = await member(ctx, { id: body.id })
})
afterAll(() => ctx.close())

const newName = () => `App ${randomUUID()}`
const newApp = async (): Promise<App> => {
  const environments = ['Development', 'Production']
  return (await service.as(ada.token).post('/v1/apps', { name: newName(), environments })).body
}
const entriesOf = async (id: string): Promise<readonly unknown[]> =>
  await ctx.db`
  select event_type, resource_type, app_id, environment_id, actor_id, resource_metadata, old_values, new_values
  from audit_entries where resource_id = ${id} order by timestamp`
const laterEntriesOf = async (id: string) => (await entriesOf(id)).slice(1)

describe('POST /v1/apps', () => {
  test('creates an app with the three default environments', async () => {
    const name = newName()
    const { status, body } = await service.as(ada.token).post('/v1/apps/', { name: ` ${name} ` })
    const at = '2026-01-01T00:00:00.000Z'
    const times = { createdAt: at, updatedAt: at }
    expect(body).toEqual({
      id: expect.any(String),
      name,
      description: null,
      sseEnabled: true,
      ...times,
      environments: [
        { id: expect.any(String), name: 'Development', envType: 'dev', index: 0, ...times },
        { id: expect.any(String), name: 'Staging', envType: 'staging', index: 1, ...times },
        { id: expect.any(String), name: 'Production', envType: 'prod', index: 2, ...times },
      ],
    })
    expect(status).toBe(201)
    expect((await service.as(ada.token).get(`/v1/apps/${body.id}`)).body).toEqual(body)
    expect(await entriesOf(body.id)).toEqual([
      {
        event_type: 'app.created',
        resource_type: 'app',
        app_id: body.id,
        environment_id: null,
        actor_id: ada.id,
        resource_metadata: { name },
        old_values: null,
        new_values: { name, description: null, sseEnabled: true, environments: 3 },
      },
    ])
    for (const environment of body.environments) {
      expect(await entriesOf(environment.id)).toMatchObject([
        {
          event_type: 'environment.created',
          app_id: body.id,
          environment_id: environment.id,
          new_values: { name: environment.name, envType: environment.envType },
        },
      ])
    }
  })

  test('creates the environments that are named, in their order', async () => {
    const input = { name: newName(), description: 'Shop', environments: ['QA', 'PRODUCTION', 'dev'] }
    const { body } = await service.as(ada.token).post('/v1/apps', input)
    expect(body.description).toBe('Shop')
    expect(body.environments).toMatchObject([
      { name: 'QA', envType: 'custom', index: 0 },
      { name: 'PRODUCTION', envType: 'prod', index: 1 },
      { name: 'dev', envType: 'custom', index: 2 },
    ])
  })

  test('is 409 for a name that is taken, in whatever case', async () => {
    const { name } = await newApp()
    const { status, body } = await service.as(ada.token).post('/v1/apps', { name: name.toUpperCase() })
    expect(body).toEqual({ error: 'An app with this name already exists.' })
    expect(status).toBe(409)
  })

  test('answers 401, then 403, then 400 for the same bad body', async () => {
    const bad = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await service.anonymous.send('POST', '/v1/apps', bad)).status).toBe(401)
    expect(await service.as(developer.token).send('POST', '/v1/apps', bad)).toMatchObject({
      status: 403,
      body: { error: "You don't have permission to create apps." },
    })
    expect((await service.as(ada.token).send('POST', '/v1/apps', bad)).status).toBe(400)
  })

  test.each([
    [{}, /name is required/],
    [{ name: ' ' }, /name is required/],
    [{ name: null }, /name must be a string/],
    [{ name: 'x'.repeat(65) }, /name must have at most 64/],
    [{ name: 'x', description: 'y'.repeat(10_001) }, /description must have at most 10000/],
    [{ name: 'x', environments: [] }, /environments must not be empty/],
    [{ name: 'x', environments: null }, /environments must be an array/],
    [{ name: 'x', environments: ['a b'] }, /environments\[0\] must be 1 to 64 letters/],
    [{ name: 'x', environments: ['qa', 'x'.repeat(65)] }, /environments\[1\] /],
    [{ name: 'x', environments: ['qa', 'QA'] }, /environments\[1\] repeats environments\[0\]/],
    [{ name: 'x', environments: Array.from({ length: 101 }, (_, n) => `e${n}`) }, /at most 100 items/],
    [{ name: 'x', org: 'y' }, /Unknown field "org"/],
  ])('refuses %j', async (input, sentence) => {
    const { status, body } = await service.as(ada.token).post('/v1/apps', input)
    expect(body.error).toMatch(sentence)
    expect(status).toBe(400)
  })
})

describe('GET /v1/apps', () => {
  test('gives pages, oldest first, that together are the whole list', async () => {
    await newApp()
    ctx.clock.advance(1)
    const newest = await newApp()
    const client = service.as(ada.token)
    const whole = await client.get('/v1/apps')
    expect(whole.status).toBe(200)
    expect(whole.body).not.toHaveProperty('nextCursor')
    expect(whole.body.data.at(-1)).toMatchObject({ id: newest.id, createdAt: '2026-01-01T00:00:01.000Z' })

    const paged: unknown[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const after = cursor === '' ? '' : `&cursor=${cursor}`
      const page = await client.get(`/v1/apps?limit=2${after}`)
      expect(page.body.data.length).toBeLessThanOrEqual(2)
      paged.push(...page.body.data)
      cursor = page.body.nextCursor
    }
    expect(paged).toEqual(whole.body.data)
  })

  test('is 401 without credentials, 403 without the permission, 400 for a bad page', async () => {
    expect((await service.anonymous.get('/v1/apps')).status).toBe(401)
    expect((await service.as(nobody.token).get('/v1/apps')).status).toBe(403)
    expect((await service.as(ada.token).get('/v1/apps?limit=0')).status).toBe(400)
    expect((await service.as(ada.token).get('/v1/apps?cursor=x.y')).status).toBe(400)
  })
})

describe('one app', () => {
  let target: App
  const path = () => `/v1/apps/${target.id}`

  beforeEach(async () => {
    target = await newApp()
  })

  test('is 401 without credentials and 403 without the permission, whatever the method', async () => {
    expect((await service.anonymous.get(path())).status).toBe(401)
    expect((await service.anonymous.put(path(), { name: 'x' })).status).toBe(401)
    expect((await service.anonymous.delete(path())).status).toBe(401)
    expect((await service.as(nobody.token).get(path())).status).toBe(403)
    expect((await service.as(developer.token).put(path(), { name: 'x' })).status).toBe(403)
    expect((await service.as(developer.token).delete(path())).status).toBe(403)
  })

  test.each([randomUUID(), 'nonsense', '%00', '1'])('is 404 for the id %s', async (id) => {
    const client = service.as(ada.token)
    const missing = { status: 404, body: { error: 'App not found.' } }
    expect(await client.get(`/v1/apps/${id}`)).toMatchObject(missing)
    expect(await client.put(`/v1/apps/${id}`, { name: 'x' })).toMatchObject(missing)
    expect(await client.delete(`/v1/apps/${id}`)).toMatchObject(missing)
  })

  test('PUT changes what is sent and keeps the rest', async () => {
    ctx.clock.advance(60)
    const now = ctx.clock.now().toISOString()
    const before = (await service.as(ada.token).get(path())).body
    const described = await service.as(ada.token).put(path(), { description: 'Shop' })
    expect(described).toMatchObject({ status: 200, body: { ...before, description: 'Shop', updatedAt: now } })
    ctx.clock.advance(1)
    const name = newName()
    const renamed = await service.as(ada.token).put(path(), { name, description: null })
    expect(renamed.body).toEqual({ ...before, name, updatedAt: ctx.clock.now().toISOString() })
    expect((await service.as(ada.token).get(path())).body).toEqual(renamed.body)
    expect(await laterEntriesOf(target.id)).toMatchObject([
      {
        event_type: 'app.updated',
        app_id: target.id,
        old_values: { name: target.name, description: null, sseEnabled: true },
        new_values: { name: target.name, description: 'Shop', sseEnabled: true },
      },
      { resource_metadata: { name }, new_values: { name, description: null, sseEnabled: true } },
    ])
  })

  test('PUT of the same values changes nothing and leaves no entry', async () => {
    ctx.clock.advance(60)
    const before = (await service.as(ada.token).get(path())).body
    const same = { name: target.name, description: null }
    const { status, body } = await service.as(ada.token).unrecorded.put(path(), same)
    expect(status).toBe(200)
    expect(body).toEqual(before)
    expect(await laterEntriesOf(target.id)).toHaveLength(0)
  })

  test("PUT may change the case of the app's own name, and is 409 for another's", async () => {
    const upper = target.name.toUpperCase()
    expect((await service.as(ada.token).put(path(), { name: upper })).body.name).toBe(upper)
    const other = await newApp()
    const refused = await service.as(ada.token).put(path(), { name: other.name.toLowerCase() })
    expect(refused).toMatchObject({ status: 409, body: { error: 'An app with this name already exists.' } })
  })

  test.each([[{}], [{ name: null }], [{ name: 'x', color: '#fff' }], [{ environments: ['a'] }], [[]]])(
    'PUT refuses %j, before it looks for the app',
    async (input) => {
      expect((await service.as(ada.token).put(path(), input)).status).toBe(400)
      expect((await service.as(ada.token).put('/v1/apps/nonsense', input)).status).toBe(400)
    },
  )

  test('DELETE deletes its environments as well, and the audit log keeps their names', async () => {
    ctx.clock.advance(1)
    const { status, body } = await service.as(ada.token).delete(path())
    expect([status, body]).toEqual([204, ''])
    expect((await service.as(ada.token).get(path())).status).toBe(404)
    expect((await service.as(ada.token).delete(path())).status).toBe(404)
    const left = await ctx.db`
      select 1 from environments where app_id = ${target.id}
      union all select 1 from environment_keys where app_id = ${target.id}`
    expect(left).toHaveLength(0)
    expect(await laterEntriesOf(target.id)).toMatchObject([
      {
        event_type: 'app.deleted',
        app_id: target.id,
        old_values: { name: target.name, description: null, sseEnabled: true, environments: 2 },
        new_values: null,
      },
    ])
    for (const { id, name, envType } of target.environments) {
      expect(await laterEntriesOf(id)).toMatchObject([
        {
          event_type: 'environment.deleted',
          app_id: target.id,
          environment_id: id,
          old_values: { name, envType },
        },
      ])
    }
  })
})
