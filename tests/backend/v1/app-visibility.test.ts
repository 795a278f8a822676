import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { App } from '../../../src/core/apps/app.ts'
import { insertGrants } from '../../../src/core/grants/queries.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, serviceAccount } from '../../support/people.ts'

const kinds = ['member', 'service account'] as const

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>
let shop: App
let hidden: App

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  const create = async (name: string) => {
    ctx.clock.advance(1)
    return (await service.as(ada.token).post('/v1/apps', { name, environments: ['Production', 'QA'] })).body
  }
  shop = await create('Shop')
  hidden = await create('Hidden')
})
afterAll(() => ctx.close())

const environment = (app: App, name: string) => {
  const found = app.environments.find((one) => one.name === name)
  if (found === undefined) throw new Error(`the app has no ${name}`)
  return found
}
const everything = ['create', 'read', 'update', 'delete']
const powers = { permissions: { Apps: everything }, app_permissions: { Environments: everything } }

async function caller(kind: (typeof kinds)[number]) {
  const name = `Powerful ${randomUUID().slice(0, 8)}`
  const role = (await service.as(ada.token).post('/v1/roles', { name, permissions: powers })).body
  return kind === 'member' ? await member(ctx, role) : await serviceAccount(ctx, role)
}

/** A caller without global access that may do everything with apps and environments, and is granted QA of Shop alone. */
async function granted(kind: (typeof kinds)[number]) {
  const { id, token } = await caller(kind)
  const [row] = await ctx.db<{ id: string }[]>`select id from organisations`
  const wish = { appId: shop.id, environmentId: environment(shop, 'QA').id }
  await ctx.db.begin((tx) => insertGrants(tx, row?.id ?? '', id, [wish], ctx.clock.now()))
  return { id, client: service.as(token) }
}

describe.each(kinds)('a %s without global access', (kind) => {
  test('sees only apps in which it has a grant, and in them only the environments granted', async () => {
    const { client } = await granted(kind)
    const seen = { ...shop, environments: [environment(shop, 'QA')] }
    expect((await client.get('/v1/apps')).body).toEqual({ data: [seen] })
    expect((await client.get('/v1/apps?limit=1')).body).toEqual({ data: [seen], nextCursor: null, total: 1 })
    expect((await client.get(`/v1/apps/${shop.id}`)).body).toEqual(seen)
    const list = await client.get(`/v1/environments?app_id=${shop.id}`)
    expect(list.body).toEqual({ data: seen.environments })
    const one = await client.get(`/v1/environments/${environment(shop, 'QA').id}`)
    expect(one.body).toEqual(environment(shop, 'QA'))
  })

  test('gets 404 for every app and environment that was not granted, whatever the method', async () => {
    const { client } = await granted(kind)
    for (const path of [
      `/v1/apps/${hidden.id}`,
      `/v1/environments/${environment(hidden, 'QA').id}`,
      `/v1/environments/${environment(shop, 'Production').id}`,
    ]) {
      expect((await client.get(path)).status).toBe(404)
      expect((await client.put(path, { name: 'Mine' })).status).toBe(404)
      expect((await client.delete(path)).status).toBe(404)
    }
    expect((await client.get(`/v1/environments?app_id=${hidden.id}`)).status).toBe(404)
    expect((await client.post(`/v1/environments?app_id=${hidden.id}`, { name: 'X' })).status).toBe(404)
    expect((await service.as(ada.token).get(`/v1/apps/${hidden.id}`)).body).toEqual(hidden)
    expect((await service.as(ada.token).get(`/v1/apps/${shop.id}`)).body).toEqual(shop)
  })

  test('sees nothing at all without a grant', async () => {
    const { token } = await caller(kind)
    expect((await service.as(token).get('/v1/apps')).body).toEqual({ data: [] })
    expect((await service.as(token).get(`/v1/apps/${shop.id}`)).status).toBe(404)
    expect((await service.as(token).put(`/v1/apps/${shop.id}`, { name: 'Mine' })).status).toBe(404)
    expect((await service.as(token).delete(`/v1/apps/${shop.id}`)).status).toBe(404)
    expect((await service.as(token).get(`/v1/environments?app_id=${shop.id}`)).status).toBe(404)
  })

  test('is granted what it creates, and may change and delete it', async () => {
    const { id, client } = await granted(kind)
    const { status, body } = await client.post('/v1/apps', { name: `Own ${id}`, environments: ['A', 'B'] })
    expect(status).toBe(201)
    expect((await client.get(`/v1/apps/${body.id}`)).body).toEqual(body)
    const added = await client.post(`/v1/environments?app_id=${body.id}`, { name: 'C' })
    expect(added.status).toBe(201)
    expect((await client.get(`/v1/apps/${body.id}`)).body.environments).toEqual([
      ...body.environments,
      added.body,
    ])
    const renamed = await client.put(`/v1/environments/${added.body.id}`, { name: 'D' })
    expect(renamed.body).toMatchObject({ name: 'D', index: 2 })
    expect((await client.put(`/v1/apps/${body.id}`, { description: 'x' })).body.description).toBe('x')
    expect((await client.delete(`/v1/environments/${added.body.id}`)).status).toBe(204)
    expect((await client.delete(`/v1/apps/${body.id}`)).status).toBe(204)
  })

  test('deletes an app only where it can access every environment of it', async () => {
    const { id, client } = await granted(kind)
    const admin = service.as(ada.token)
    expect(await client.delete(`/v1/apps/${shop.id}`)).toMatchObject({
      status: 403,
      body: { error: "You can't delete this app: it has environments that you can't open." },
    })
    expect((await admin.get(`/v1/apps/${shop.id}`)).body).toEqual(shop)
    const { body: own } = await client.post('/v1/apps', { name: `Own ${id}`, environments: ['A'] })
    const added = await admin.post(`/v1/environments?app_id=${own.id}`, { name: 'B' })
    expect((await client.delete(`/v1/apps/${own.id}`)).status).toBe(403)
    await admin.delete(`/v1/environments/${added.body.id}`)
    expect((await client.delete(`/v1/apps/${own.id}`)).status).toBe(204)
  })

  test('is granted an environment that it adds to an app that it can access in part', async () => {
    const { id, client } = await granted(kind)
    const name = `E-${id}`
    const added = await client.post(`/v1/environments?app_id=${shop.id}`, { name })
    expect(added.status).toBe(201)
    const names = (await client.get(`/v1/apps/${shop.id}`)).body.environments.map(
      (one: { name: string }) => one.name,
    )
    expect(names).toEqual(['QA', name])
    expect((await client.delete(`/v1/environments/${added.body.id}`)).status).toBe(204)
  })

  test('gets 409 for the name of an environment that it can’t access', async () => {
    const { client } = await granted(kind)
    expect((await client.post(`/v1/environments?app_id=${shop.id}`, { name: 'production' })).status).toBe(409)
    const qa = `/v1/environments/${environment(shop, 'QA').id}`
    expect((await client.put(qa, { name: 'production' })).status).toBe(409)
  })
})

test('a member with the Admin role sees everything without a grant', async () => {
  const admin = await member(ctx, 'admin')
  expect((await service.as(admin.token).get('/v1/apps')).body).toEqual({ data: [shop, hidden] })
})

test('resources of another organisation are 404, whatever the caller may do', async () => {
  const eve = service.as((await owner(ctx, 'Another organisation')).token)
  expect((await eve.get('/v1/apps')).body).toEqual({ data: [] })
  for (const path of [`/v1/apps/${shop.id}`, `/v1/environments/${environment(shop, 'QA').id}`]) {
    expect((await eve.get(path)).status).toBe(404)
    expect((await eve.put(path, { name: 'Mine' })).status).toBe(404)
    expect((await eve.delete(path)).status).toBe(404)
  }
  expect((await eve.get(`/v1/environments?app_id=${shop.id}`)).status).toBe(404)
  expect((await eve.post(`/v1/environments?app_id=${shop.id}`, { name: 'X' })).status).toBe(404)
  expect((await eve.post('/v1/apps', { name: 'Shop' })).status).toBe(201)
})
