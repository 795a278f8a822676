import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api, type Client } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { type Account, member, owner, type Person, serviceAccount } from '../../support/people.ts'
import { sealedSecret, secretsOf } from '../../support/secrets.ts'

type Made = { id: string; environments: { id: string; name: string }[] }

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person & { organisationId: string }
let client: Client
let grace: Person
let robot: Account
let nobody: Client
let shop: Made
let site: Made
let one: string
let two: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  client = service.as(ada.token)
  grace = await member(ctx, 'developer')
  robot = await serviceAccount(ctx, 'service')
  const none = { name: 'Nothing', permissions: { permissions: {}, app_permissions: {} } }
  nobody = service.as((await member(ctx, (await client.post('/v1/roles', none)).body)).token)
  shop = (await client.post('/v1/apps', { name: 'Shop', environments: ['one', 'two'] })).body
  site = (await client.post('/v1/apps', { name: 'Site', environments: ['three'] })).body
  ;[one, two] = shop.environments.map(({ id }) => id) as [string, string]
  await happen()
})
afterAll(() => ctx.close())

/** Something of every kind, in an order that a clock tells. */
async function happen() {
  const later = () => ctx.clock.advance(61)
  later()
  await client.put(`/v1/apps/${shop.id}`, { description: 'Sells.' })
  later()
  await secretsOf(client, one)('POST', [sealedSecret('KEY')])
  later()
  await client.put(`/v1/members/${grace.id}/access`, { apps: [{ id: shop.id, environments: [one] }] })
  later()
  await client.put(`/v1/service-accounts/${robot.id}/access`, {
    apps: [{ id: site.id, environments: [site.environments[0]?.id] }],
  })
  later()
  await nobody.get(`/v1/environments/${two}`)
  later()
  await nobody.delete(`/v1/apps/${shop.id}`)
  later()
  await client.put(`/v1/members/${grace.id}/access`, { apps: [{ id: shop.id, environments: [two] }] })
}

type Entry = { id: string; eventType: string; timestamp: string }
const read = async (query: string, caller = client) =>
  (await caller.get(`/v1/logs/audit?${query}`)).body as { data: Entry[]; nextCursor: string | null }
const eventsOf = async (query: string, caller = client) =>
  (await read(query, caller)).data.map(({ eventType }) => eventType)

const ABOUT_TWO = ['member.access_changed', 'environment.read_refused', 'environment.created']
const ABOUT_ONE = ['member.access_changed', 'member.access_changed', 'secret.created', 'environment.created']

describe('GET /v1/logs/audit', () => {
  test('by environment: what happened to it and in it, access to it, and what was refused', async () => {
    expect(await eventsOf(`environment_id=${two}`)).toEqual(ABOUT_TWO)
    expect(await eventsOf(`environment_id=${one.toUpperCase()}`)).toEqual(ABOUT_ONE)
  })

  test('by app: the same of all its environments, and of itself', async () => {
    const found = await eventsOf(`app_id=${shop.id.toUpperCase()}`)
    expect(found.slice(0, -3)).toEqual([
      'member.access_changed',
      'app.delete_refused',
      'environment.read_refused',
      'member.access_changed',
      'secret.created',
      'app.updated',
    ])
    expect(found.slice(-3).sort()).toEqual(['app.created', 'environment.created', 'environment.created'])
    expect((await eventsOf(`app_id=${site.id}`)).slice(0, -2)).toEqual(['service_account.access_changed'])
  })

  test('by both, and by neither of an app and an environment of another', async () => {
    expect(await eventsOf(`app_id=${shop.id}&environment_id=${two}`)).toEqual(ABOUT_TWO)
    expect(await eventsOf(`app_id=${site.id}&environment_id=${two}`)).toEqual([])
  })

  test('together with every other filter', async () => {
    const about = `app_id=${shop.id}`
    expect(await eventsOf(`${about}&outcome=refused`)).toEqual([
      'app.delete_refused',
      'environment.read_refused',
    ])
    expect(await eventsOf(`${about}&outcome=done&event_type=app.updated`)).toEqual(['app.updated'])
    expect(await eventsOf(`${about}&event_type=member.access_changed`)).toHaveLength(2)
    expect(await eventsOf(`${about}&resource_type=member`)).toHaveLength(2)
    expect(await eventsOf(`${about}&actor_id=${ada.id}&outcome=refused`)).toEqual([])
    expect(await eventsOf(`${about}&actor_type=service_account`)).toEqual([])
    expect(await eventsOf(`${about}&actor_type=user&actor_id=${ada.id}`)).toHaveLength(7)
    const [newest] = (await read(about)).data
    expect(await eventsOf(`${about}&from=${newest?.timestamp}`)).toEqual(['member.access_changed'])
  })

  test('in pages of any size, each entry once', async () => {
    for (const query of [`app_id=${shop.id}`, `environment_id=${one}`, 'outcome=done', 'outcome=refused']) {
      const whole = (await read(`${query}&limit=200`)).data.map(({ id }) => id)
      for (const limit of [1, 2, 3]) {
        const found: string[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const page = await read(`${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
          found.push(...page.data.map(({ id }) => id))
          cursor = page.nextCursor
        }
        expect(found).toEqual(whole)
      }
      expect(new Set(whole).size).toBe(whole.length)
    }
  })

  test('without global access, shows of an app what can be seen of it, and no change of access', async () => {
    const asGrace = service.as(grace.token)
    expect(await eventsOf(`environment_id=${one}`, asGrace)).toEqual([])
    expect(await eventsOf(`app_id=${site.id}`, asGrace)).toEqual([])
    expect(await eventsOf(`environment_id=${two}`, asGrace)).toEqual([
      'environment.read_refused',
      'environment.created',
    ])
    const found = await eventsOf(`app_id=${shop.id}`, asGrace)
    expect(found.slice(0, 3)).toEqual(['app.delete_refused', 'environment.read_refused', 'app.updated'])
    expect(found.slice(3).sort()).toEqual(['app.created', 'environment.created'])
  })

  test('is empty for unknown ids, and 400 for an unknown outcome', async () => {
    for (const id of [randomUUID(), 'nonsense', '', "'"]) {
      for (const name of ['app_id', 'environment_id']) {
        expect(await read(`${name}=${encodeURIComponent(id)}`)).toEqual({ data: [], nextCursor: null })
      }
    }
    for (const outcome of ['', 'Refused', 'none']) {
      const { status, body } = await client.get(`/v1/logs/audit?outcome=${outcome}`)
      expect([status, body]).toEqual([400, { error: 'outcome must be one of refused, done.' }])
    }
    expect((await client.get('/v1/logs/audit?outcome=done&outcome=refused')).status).toBe(400)
  })

  test('of a deleted environment still finds everything by its id, of its app all but changes of access', async () => {
    const gone: Made = (await client.post('/v1/apps', { name: 'Gone', environments: ['four', 'five'] })).body
    const [four] = gone.environments.map(({ id }) => id)
    await client.put(`/v1/service-accounts/${robot.id}/access`, {
      apps: [{ id: gone.id, environments: [four] }],
    })
    await client.delete(`/v1/environments/${four}`)
    const found = ['environment.created', 'environment.deleted', 'service_account.access_changed']
    expect((await eventsOf(`environment_id=${four}`)).sort()).toEqual(found)
    expect(await eventsOf(`app_id=${gone.id}&environment_id=${four}`)).toHaveLength(2)
  })

  test('an entry that names an environment of no id is stored without an app', async () => {
    const id = randomUUID()
    const row = {
      organisation_id: ada.organisationId,
      event_type: 'thing.changed',
      resource_type: 'thing',
      actor_type: 'user',
      actor_id: ada.id,
      actor_metadata: ctx.db.json({}),
      resource_metadata: ctx.db.json({}),
      description: 'Thing changed.',
      timestamp: ctx.clock.now(),
    }
    await ctx.db`insert into audit_entries ${ctx.db({ ...row, id, environment_id: 'nonsense' })}`
    const values = { new_values: ctx.db.json({ granted: 'nonsense' }), old_values: ctx.db.json([]) }
    await ctx.db`insert into audit_entries ${ctx.db({ ...row, ...values, id: randomUUID(), event_type: 'member.access_changed' })}`
    expect(await ctx.db`select app_id from audit_entries where id = ${id}`).toMatchObject([{ app_id: null }])
  })
})
