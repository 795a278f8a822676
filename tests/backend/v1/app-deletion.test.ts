import { afterAll, afterEach, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { createChangeLimiter } from '../../../src/platform/postgres/limiters.ts'
import { api, type Client } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner, serviceAccount } from '../../support/people.ts'

let ctx: TestContext
let client: Client
let ada: Awaited<ReturnType<typeof owner>>
let app: { id: string; environments: { id: string }[] }
let etag: string
let robotId: string

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  client = api(ctx).as(ada.token)
  robotId = (await serviceAccount(ctx, 'service')).id
  await ctx.db`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`
})
beforeEach(async () => {
  app = (await client.post('/v1/apps', { name: 'Large' })).body
  etag = (await client.get(`/v1/apps/${app.id}`)).headers.get('etag') ?? ''
  await ctx.db`create trigger refuse before delete on apps for each row execute function refuse()`
})
afterEach(async () => {
  expect(await left()).toBe(0)
  expect(await ctx.db`select 1 from environment_keys`).toHaveLength(0)
})
afterAll(() => ctx.close())

const remove = (ifMatch?: string) =>
  client.send(
    'DELETE',
    `/v1/apps/${app.id}`,
    ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } },
  )
const left = async () =>
  (await ctx.db`select count(*)::int as count from environments where app_id = ${app.id}`)[0]?.count
const entries = async () =>
  [
    ...(await ctx.db<{ event_type: string; environments: number | null }[]>`
      select event_type, (old_values->>'environments')::int as environments from audit_entries
      where event_type in ('environment.deleted', 'app.deleted') order by event_type`),
  ].map(({ event_type, environments }) => [event_type, environments])

/** Has `accounts` service accounts, of at most about 11,000, open each environment of the app. */
async function giveAccessToVeryMany(accounts = 11_000) {
  await ctx.database.aside.begin(async (tx) => {
    await tx`
      insert into principals
      select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
      from principals p, generate_series(1, 11000 - (select count(*)::int from principals)) where p.id = ${robotId}`
    await tx`
      insert into environment_keys (organisation_id, principal_id, app_id, environment_id, wrapped_seed, wrapped_salt, created_at)
      select e.organisation_id, p.id, e.app_id, e.id, 'x', 'x', e.created_at
      from environments e, (select id from principals where type = 'service_account' limit ${accounts}) p
      where e.app_id = ${app.id}`
  })
}

test('an app that very many can open is deleted in parts, and the same request goes on where one failed', async () => {
  await giveAccessToVeryMany()
  expect((await remove('"another"')).status).toBe(412)
  expect(await left()).toBe(3)
  expect((await remove(etag)).status).toBe(500)
  expect(await left()).toBe(1)
  expect(await entries()).toEqual([
    ['environment.deleted', null],
    ['environment.deleted', null],
  ])
  await ctx.db`drop trigger refuse on apps`
  expect((await remove()).status).toBe(204)
  expect(await entries()).toEqual([
    ['app.deleted', 1],
    ['environment.deleted', null],
    ['environment.deleted', null],
    ['environment.deleted', null],
  ])
})

test('an app with many overrides is deleted in parts where its key copies alone would go in one', async () => {
  await giveAccessToVeryMany(9000)
  await ctx.database.aside.begin(async (tx) => {
    // Of secrets that there are none of.
    await tx`set local session_replication_role = replica`
    await tx`
      insert into secret_overrides (secret_id, principal_id, organisation_id, environment_id, id, value, is_active,
        created_at, updated_at)
      select gen_random_uuid(), ${ada.id}, organisation_id, id, gen_random_uuid(), 'x', true, now(), now()
      from environments e, generate_series(1, 12000) where e.app_id = ${app.id}`
  })
  expect((await remove()).status).toBe(500)
  expect(await left()).toBe(1)
  await ctx.db`drop trigger refuse on apps`
  expect((await remove()).status).toBe(204)
  expect(await ctx.db`select 1 from secret_overrides limit 1`).toHaveLength(0)
})

test.each([
  ['the ETag that it had', 412, 2],
  ['any', 204, 0],
])(
  'with %s in If-Match, the deletion of an app that others change between two parts is %i',
  async (_, status, remaining) => {
    await giveAccessToVeryMany()
    await ctx.db`drop trigger refuse on apps`
    const another = api({ ...ctx, limitChanges: createChangeLimiter(ctx.db) }).as(ada.token)
    const begin = ctx.db.beginWithin
    let begun = 0
    const transactions = spyOn(ctx.db, 'beginWithin').mockImplementation(async (...transaction) => {
      // The second part is about to begin.
      if (++begun === 2) {
        const added = await another.post(`/v1/environments?app_id=${app.id}`, { name: 'late' })
        expect(added.status).toBe(201)
      }
      return await begin(...transaction)
    })
    expect((await remove(status === 412 ? etag : '*')).status).toBe(status)
    transactions.mockRestore()
    expect(await left()).toBe(remaining)
    if (remaining === 0) return
    const { headers } = await client.get(`/v1/apps/${app.id}`)
    expect((await remove(headers.get('etag') ?? '')).status).toBe(204)
  },
)
