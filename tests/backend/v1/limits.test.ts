import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { APPS } from '../../../src/core/apps/app.ts'
import { ENVIRONMENTS, OWN_ENVIRONMENTS } from '../../../src/core/environments/environment.ts'
import { PENDING_INVITES } from '../../../src/core/invites/invite.ts'
import { CUSTOM_ROLES } from '../../../src/core/roles/role.ts'
import { SERVICE_ACCOUNTS } from '../../../src/core/service-accounts/service-account.ts'
import { MOST_LIVE_TOKENS } from '../../../src/core/tokens/token.ts'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { createChangeLimiter } from '../../../src/platform/postgres/limiters.ts'
import { type Answer, api, type Client } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, roleOf, serviceAccount, session } from '../../support/people.ts'

let ctx: TestContext
let pool: Database
let ada: Person & { organisationId: string }
/** Two backends on one database, each with its own connections. */
let here: ReturnType<typeof api>
let there: ReturnType<typeof api>
let admin: Client

beforeAll(async () => {
  ctx = await testContext()
  pool = openDatabase(ctx.database.config)
  here = api(ctx)
  there = api({ ...ctx, db: pool, limitChanges: createChangeLimiter(pool) })
  ada = await owner(ctx)
  admin = here.as(ada.token)
})
afterAll(async () => {
  await pool.end()
  await ctx.close()
})

type Create = (service: ReturnType<typeof api>) => Promise<Answer>

/** Creates three more than the limit allows, concurrently at two backends: exactly `room` succeed. */
async function fillsExactly(room: number, create: Create, sentence: string): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: room + 3 }, (_, index) => create(index % 2 === 0 ? here : there)),
  )
  const refused = answers.filter(({ status }) => status !== 201)
  expect(answers).toHaveLength(refused.length + room)
  for (const answer of refused) expect(answer).toMatchObject({ status: 409, body: { error: sentence } })
  expect(await create(here)).toMatchObject({ status: 409, body: { error: sentence } })
}

describe(`more than ${MOST_LIVE_TOKENS} live tokens are refused`, () => {
  const addTokens = (principalId: string, count: number, expiresAt: Date | null) =>
    ctx.db`
      insert into tokens (id, organisation_id, principal_id, name, hash, created_at, expires_at)
      select gen_random_uuid(), ${ada.organisationId}, ${principalId}, 'many',
        sha256(uuid_send(gen_random_uuid())), ${ctx.clock.now()}, ${expiresAt}
      from generate_series(1, ${count}::int)`
  const inSeconds = (seconds: number) => new Date(ctx.clock.now().getTime() + seconds * 1000)

  test('to a member: expired ones do not count, and revoking one makes room', async () => {
    const mel = await member(ctx, 'developer')
    await addTokens(mel.id, 150, inSeconds(0))
    await addTokens(mel.id, MOST_LIVE_TOKENS - 6, inSeconds(600))
    const sessionToken = await session(ctx, mel.userId)
    const create: Create = (service) => service.as(sessionToken).post('/v1/tokens', { name: 'x' })
    // The token of `member`, and the five that were created.
    await fillsExactly(5, create, 'You can have at most 100 live tokens. Revoke one first.')
    const { data } = (await here.as(sessionToken).get('/v1/tokens')).body
    const one = data.find((token: { name: string }) => token.name === 'x')
    expect((await here.as(sessionToken).delete(`/v1/tokens/${one.id}`)).status).toBe(204)
    await fillsExactly(1, create, 'You can have at most 100 live tokens. Revoke one first.')
    expect((await admin.get(`/v1/members/${mel.id}`)).status).toBe(200)
    ctx.clock.advance(600)
    expect((await create(there)).status).toBe(201)
  })

  test('to a service account, with any creator', async () => {
    const robot = await serviceAccount(ctx, 'service')
    const other = await member(ctx, 'admin')
    await addTokens(robot.id, MOST_LIVE_TOKENS - 5, null)
    const path = `/v1/service-accounts/${robot.id}/tokens`
    const create: Create = (service) =>
      service.as(service === here ? ada.token : other.token).post(path, { name: 'x' })
    await fillsExactly(4, create, 'A service account can have at most 100 live tokens. Revoke one first.')
  })

  test('removing a member while it creates tokens leaves none, without a deadlock', async () => {
    for (let round = 0; round < 5; round++) {
      const mel = await member(ctx, 'developer')
      const sessionToken = await session(ctx, mel.userId)
      const [removed, ...created] = await Promise.all([
        Bun.sleep(round).then(() => admin.delete(`/v1/members/${mel.id}`)),
        ...[here, there, here, there].map((service) =>
          service.as(sessionToken).post('/v1/tokens', { name: 'x' }),
        ),
      ])
      expect(removed?.status).toBe(204)
      for (const { status } of created) expect([201, 401]).toContain(status)
      expect(await ctx.db`select 1 from tokens where principal_id = ${mel.id}`).toHaveLength(0)
    }
  })
})

test(`more than ${CUSTOM_ROLES.most} custom roles are refused, and deleting one makes room`, async () => {
  await ctx.db`
    insert into roles (id, organisation_id, kind, name, name_key, permissions, created_at, updated_at)
    select gen_random_uuid(), ${ada.organisationId}, 'custom', 'Many ' || n, 'many ' || n,
      '{"permissions": {}, "appPermissions": {}}', ${ctx.clock.now()}, ${ctx.clock.now()}
    from generate_series(1, ${CUSTOM_ROLES.most - 2}::int) as n`
  const permissions = { permissions: {}, app_permissions: {} }
  const create: Create = (service) =>
    service.as(ada.token).post('/v1/roles', { name: randomUUID(), permissions })
  const sentence = 'An organisation can have at most 1,000 custom roles. Delete one first.'
  await fillsExactly(2, create, sentence)
  const [role] = await ctx.db<{ id: string }[]>`select id from roles where name = 'Many 1'`
  expect((await admin.put(`/v1/roles/${role?.id}`, { name: 'Renamed' })).status).toBe(200)
  expect((await admin.delete(`/v1/roles/${role?.id}`)).status).toBe(204)
  await fillsExactly(1, create, sentence)
})

test(`more than ${SERVICE_ACCOUNTS.most} service accounts are refused, and deleting one makes room`, async () => {
  const role = await roleOf(ctx, 'service')
  const [before] = await ctx.db<{ count: number }[]>`select count(*)::int as count from service_accounts`
  const count = SERVICE_ACCOUNTS.most - 2 - (before?.count ?? 0)
  await ctx.db`
    with made as (
      insert into principals (id, organisation_id, type, role_id, role_kind, identity_key, wrapped_private_key)
      select gen_random_uuid(), ${ada.organisationId}, 'service_account', ${role.id}, 'service', '', ''
      from generate_series(1, ${count}::int)
      returning id
    )
    insert into service_accounts (id, organisation_id, name, created_at, updated_at)
    select id, ${ada.organisationId}, 'Many', ${ctx.clock.now()}, ${ctx.clock.now()} from made`
  const create: Create = (service) =>
    service.as(ada.token).post('/v1/service-accounts', { name: 'One more', role_id: role.id })
  const sentence = 'An organisation can have at most 10,000 service accounts. Delete one first.'
  await fillsExactly(2, create, sentence)
  const [one] = await ctx.db<{ id: string }[]>`select id from service_accounts where name = 'Many' limit 1`
  expect((await admin.delete(`/v1/service-accounts/${one?.id}`)).status).toBe(204)
  await fillsExactly(1, create, sentence)
})

const addApps = (count: number) =>
  ctx.db<{ id: string }[]>`
    insert into apps (id, organisation_id, name, name_key, created_at, updated_at)
    select id, ${ada.organisationId}, id::text, id::text, ${ctx.clock.now()}, ${ctx.clock.now()}
    from (select gen_random_uuid() as id from generate_series(1, ${count}::int)) as ids returning id`
const addEnvironments = (appId: string, count: number) =>
  ctx.db`
    insert into environments (id, organisation_id, app_id, name, name_key, env_type, index, public_key, wrapped_seed,
      wrapped_salt, created_at, updated_at)
    select gen_random_uuid(), ${ada.organisationId}, ${appId}, 'many-' || n, 'many-' || n, 'custom', n, '', '', '',
      ${ctx.clock.now()}, ${ctx.clock.now()}
    from generate_series(1, ${count}::int) as n`

test(`more than ${APPS.most} apps are refused, and deleting one makes room`, async () => {
  const [one] = await addApps(APPS.most - 2)
  const create: Create = (service) => service.as(ada.token).post('/v1/apps', { name: randomUUID() })
  const sentence = 'An organisation can have at most 5,000 apps. Delete one first.'
  await fillsExactly(2, create, sentence)
  expect((await admin.delete(`/v1/apps/${one?.id}`)).status).toBe(204)
  await fillsExactly(1, create, sentence)
  await ctx.db`delete from apps`
})

test('descriptions of apps take 8 MiB together, counted as JSON has them', async () => {
  const create = (description: string) => admin.post('/v1/apps', { name: randomUUID(), description })
  const error =
    "The descriptions of the organisation's apps can take at most 8 MiB together. Shorten one first."
  for (const [character, bytes] of [
    ['\u0001', 6],
    ['\u{1F511}', 4],
  ] as const) {
    const text = character.repeat(10_000)
    const places = await addApps(Math.floor((8 * 1024 * 1024) / (10_000 * bytes)))
    await ctx.db`update apps set description = ${text} where id = any(${places.map(({ id }) => id)}::uuid[])`
    expect(await create(text)).toMatchObject({ status: 409, body: { error } })
    const { status, body } = await create('a'.repeat(8000))
    expect(status).toBe(201)
    expect(await admin.put(`/v1/apps/${body.id}`, { description: text })).toMatchObject({
      status: 409,
      body: { error },
    })
    expect((await admin.put(`/v1/apps/${places[0]?.id}`, { description: 'short' })).status).toBe(200)
    expect((await admin.put(`/v1/apps/${body.id}`, { description: text })).status).toBe(200)
    await ctx.db`delete from apps`
  }
})

test(`more than ${ENVIRONMENTS.most} environments are refused, with a new app and one by one`, async () => {
  const [place] = await addApps(1)
  await addEnvironments(place?.id ?? '', ENVIRONMENTS.most - 3)
  const sentence = 'An organisation can have at most 10,000 environments. Delete one first.'
  const createApp = (environments: string[]) => admin.post('/v1/apps', { name: randomUUID(), environments })
  expect(await createApp(['a', 'b', 'c', 'd'])).toMatchObject({ status: 409, body: { error: sentence } })
  expect((await createApp(['a'])).status).toBe(201)
  const create: Create = (service) =>
    service.as(ada.token).post(`/v1/environments?app_id=${place?.id}`, { name: randomUUID() })
  await fillsExactly(2, create, sentence)
  await ctx.db`delete from apps`
})

test(`without global access, nobody creates more than ${OWN_ENVIRONMENTS.most} environments`, async () => {
  const manager = await member(ctx, 'manager')
  const [place] = await addApps(1)
  await addEnvironments(place?.id ?? '', OWN_ENVIRONMENTS.most - 3)
  await ctx.db`
    insert into grants (organisation_id, principal_id, app_id, environment_id, created_at)
    select organisation_id, ${manager.id}, app_id, id, ${ctx.clock.now()} from environments`
  const create: Create = (service) =>
    service.as(manager.token).post('/v1/apps', { name: randomUUID(), environments: ['a'] })
  const sentence =
    'Who creates environments without global access can have at most 1,000 environments. An Owner or an Admin can create more.'
  await fillsExactly(3, create, sentence)
  expect((await admin.post('/v1/apps', { name: 'Of the Owner' })).status).toBe(201)
  await ctx.db`delete from apps`
})

test('beside very many with global access, an app has at first only so many environments as can get their key copies', async () => {
  const role = await roleOf(ctx, 'admin')
  const added = await ctx.db<{ id: string }[]>`
    insert into principals (id, organisation_id, type, role_id, role_kind, identity_key, wrapped_private_key)
    select gen_random_uuid(), organisation_id, 'member', ${role.id}, 'admin', identity_key, ''
    from principals, generate_series(1, 4000) where id = ${ada.id}
    returning id`
  const create = (environments?: string[]) =>
    admin.post('/v1/apps', { name: randomUUID(), ...(environments && { environments }) })
  expect(await create(['a', 'b', 'c', 'd', 'e'])).toMatchObject({
    status: 409,
    body: {
      error:
        'So many have global access here that at most 4 environments can be created at once. Create the others afterwards.',
    },
  })
  expect(await ctx.db`select 1 from environments`).toHaveLength(0)
  expect((await create(['a', 'b', 'c', 'd'])).status).toBe(201)
  await ctx.db`delete from apps`
  await ctx.db`delete from principals where id in ${ctx.db(added.map(({ id }) => id))}`
})

test(`more than ${PENDING_INVITES.most} pending invites are refused; closed and expired ones do not count`, async () => {
  const role = await roleOf(ctx, 'developer')
  const inSeconds = (seconds: number) => new Date(ctx.clock.now().getTime() + seconds * 1000)
  const addInvites = (count: number, expiresAt: Date) =>
    ctx.db`
      insert into invites (id, organisation_id, email, email_key, role_id, role_kind, state, nonce, created_at, expires_at)
      select id, ${ada.organisationId}, id || '@example.org', id || '@example.org', ${role.id}, 'developer',
        'pending', '', ${ctx.clock.now()}, ${expiresAt}
      from (select gen_random_uuid() as id from generate_series(1, ${count}::int)) as ids`
  await addInvites(50, inSeconds(0))
  await addInvites(PENDING_INVITES.most - 3, inSeconds(3600))
  const create: Create = (service) =>
    service
      .as(ada.token)
      .post('/v1/members/invites', { email: `${randomUUID()}@example.org`, role_id: role.id })
  const sentence =
    'An organisation can have at most 1,000 pending invites. Cancel one first, or wait until one is accepted.'
  await fillsExactly(3, create, sentence)
  const { data } = (await admin.get('/v1/members/invites?limit=1')).body
  expect((await admin.delete(`/v1/members/invites/${data[0].id}`)).status).toBe(204)
  await fillsExactly(1, create, sentence)
  ctx.clock.advance(3600)
  expect((await create(there)).status).toBe(201)
})
