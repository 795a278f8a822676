import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { EXPIRY_MAILS } from '../../../src/core/notices/notices.ts'
import { holders } from '../../../src/core/secrets/expiry-queries.ts'
import { remindOfExpiry } from '../../../src/core/secrets/expiry-reminders.ts'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { jobCalled, runJobs } from '../../support/jobs.ts'
import { member, owner, type Person, serviceAccount } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let client: Client
let shop: TestApp

beforeAll(async () => {
  ctx = await testContext({ SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' })
  ada = await owner(ctx)
  client = api(ctx).as(ada.token)
  shop = await app(ctx)
})
// Mails to one user are limited by the day.
beforeEach(() => ctx.clock.advance(DAY_SECONDS))
afterAll(() => ctx.close())

const DAY_SECONDS = 24 * 60 * 60
const place = () => `/v1/secrets/?app_id=${shop.id}&env=production`
const inDays = (days: number) => new Date(ctx.clock.now().getTime() + days * DAY_SECONDS * 1000).toISOString()
const emailOf = async (userId: string): Promise<string> =>
  (await ctx.db`select email from users where id = ${userId}`)[0]?.email

/** The addresses that a run of the job mails to. */
async function reminded(): Promise<string[]> {
  const before = ctx.mailer.sent.length
  await jobCalled(ctx, 'remind-of-expiry').run({}, new AbortController().signal, 'job')
  await runJobs(ctx)
  return ctx.mailer.sent.slice(before).map(({ to }) => to)
}

/** Writes secrets into environments, so many into each, without sealing anything. */
const plant = (environmentIds: readonly string[], count: number, expiresAt: string) => ctx.db`
  insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
    version, expires_at, created_at, updated_at)
  select s.id, e.organisation_id, e.app_id, e.id, '/', 'x', sha256(uuid_send(s.id)), 'x', '', '{}', 'secret',
    1, ${expiresAt}, now(), now()
  from environments e cross join lateral (
    select gen_random_uuid() as id from generate_series(1, ${count}::int) where e.id is not null) s
  where e.id = any(${[...environmentIds]}::uuid[])`

const untoldOf = async (appId: string): Promise<number> =>
  (
    await ctx.db`
      select count(*)::int from secrets where app_id = ${appId} and reminded_expiry is distinct from expires_at`
  )[0]?.count

test('those who can update a secret are told once, a week before it expires', async () => {
  const granted = { apps: [{ id: shop.id, environments: [shop.environments[1]?.id] }] }
  const developer = await member(ctx, 'developer')
  const permissions = { permissions: {}, app_permissions: { Secrets: ['read'] } }
  const role = await client.post('/v1/roles', { name: 'Reader', permissions })
  const reader = await member(ctx, { id: role.body.id })
  await member(ctx, 'developer')
  const robot = await serviceAccount(ctx, 'service')
  for (const { id } of [developer, reader]) await client.put(`/v1/members/${id}/access`, granted)
  await client.put(`/v1/service-accounts/${robot.id}/access`, granted)
  const { body } = await client.post(place(), {
    secrets: [
      { key: 'NEEDLE', value: 'needle', expiresAt: inDays(8) },
      { key: 'NEEDLE_2', value: 'needle', expiresAt: inDays(8) },
      { key: 'NEVER', value: 'needle' },
    ],
  })
  expect(await reminded()).toEqual([])
  ctx.clock.advance(2 * DAY_SECONDS)
  const expected = [await emailOf(ada.userId), await emailOf(developer.userId)].sort()
  expect((await reminded()).sort()).toEqual(expected)
  const { subject, text } = ctx.mailer.sent.at(-1) ?? { subject: '', text: '' }
  expect(subject).toBe('Secrets expire soon')
  expect(text).toContain(`Production of ${shop.name}`)
  expect(text).not.toMatch(/needle/i)
  expect(await reminded()).toEqual([])
  // Another value keeps the expiry; another expiry is told of again, even one that has passed.
  await client.put(place(), { secrets: [{ id: body[0].id, value: 'other' }] })
  expect(await reminded()).toEqual([])
  await client.put(place(), { secrets: [{ id: body[0].id, expiresAt: inDays(-1) }] })
  expect((await reminded()).sort()).toEqual(expected)
  await client.put(place(), { secrets: [{ id: body[0].id, expiresAt: null }] })
  expect(await reminded()).toEqual([])
})

test('many environments are told of in one mail to each, which names the first of them', async () => {
  const names = ['One', 'Two', 'Three', 'Four', 'Five']
  const { body } = await client.post('/v1/apps', { name: 'Zoo', environments: names })
  for (const env of names) {
    const secrets = [{ key: 'SOON', value: '', expiresAt: inDays(1) }]
    await client.post(`/v1/secrets/?app_id=${body.id}&env=${env}`, { secrets })
  }
  expect(await reminded()).toEqual([await emailOf(ada.userId)])
  expect(ctx.mailer.sent.at(-1)?.text).toContain('One of Zoo, Two of Zoo, Three of Zoo and 2 others')
})

test('nothing is marked as told while there is no mail gateway, or while the secret is being changed', async () => {
  const { body } = await client.post(place(), { secrets: [{ key: 'SOON', value: '', expiresAt: inDays(1) }] })
  await remindOfExpiry({ ...ctx, config: { ...ctx.config, smtp: null } })
  await ctx.db.begin(async (tx) => {
    await tx`select 1 from secrets where id = ${body[0].id} for update`
    expect(await reminded()).toEqual([])
  })
  expect(await reminded()).not.toEqual([])
})

test('two runs at the same time tell of it once', async () => {
  await client.post(place(), { secrets: [{ key: 'TWICE', value: '', expiresAt: inDays(1) }] })
  await Promise.all([remindOfExpiry(ctx), remindOfExpiry(ctx)])
  const before = ctx.mailer.sent.length
  await runJobs(ctx)
  const addresses = ctx.mailer.sent.slice(before).map(({ to }) => to)
  expect(addresses.length).toBeGreaterThan(0)
  expect(new Set(addresses).size).toBe(addresses.length)
})

test('one user is sent so many in a day, however often expiries are set or secrets come back', async () => {
  const { id } = (
    await client.post(place(), { secrets: [{ key: 'AGAIN', value: '', expiresAt: inDays(2) }] })
  ).body[0]
  const expiries = [inDays(2), inDays(3)]
  const told = [await reminded()]
  for (let turn = 1; turn < EXPIRY_MAILS.limit; turn++) {
    await client.put(place(), { secrets: [{ id, expiresAt: expiries[turn % 2] }] })
    told.push(await reminded())
  }
  const email = await emailOf(ada.userId)
  for (const addresses of told) expect(addresses).toContain(email)
  await client.put(place(), { secrets: [{ id, expiresAt: inDays(4) }] })
  expect(await reminded()).toEqual([])
  expect(await client.send('DELETE', place(), { body: JSON.stringify({ secrets: [id] }) })).toMatchObject({
    status: 200,
  })
  expect((await client.post(`/v1/secrets/${id}/restore`, { version: 1 })).status).toBe(200)
  expect(await reminded()).toEqual([])
  // It is still to be seen.
  const { expiringSecrets } = (await client.get('/v1/attention')).body
  expect(expiringSecrets.data.map((secret: { id: string }) => secret.id)).toContain(id)
  // Somebody new has a count of its own; the next day counts from nothing.
  const admin = await member(ctx, 'admin')
  await client.put(place(), { secrets: [{ id, expiresAt: inDays(5) }] })
  expect(await reminded()).toContain(await emailOf(admin.userId))
  ctx.clock.advance(DAY_SECONDS)
  await client.put(place(), { secrets: [{ id, expiresAt: inDays(3) }] })
  expect(await reminded()).toContain(email)
})

test('a member who sets very many expiries anew each hour delays no reminder of other environments', async () => {
  const crowded = await app(ctx, undefined, ['One', 'Two', 'Three'])
  await plant(
    crowded.environments.map(({ id }) => id),
    5000,
    inDays(-1),
  )
  const quiet = await app(ctx, 'Quiet')
  const developer = await member(ctx, 'developer')
  const granted = { apps: [{ id: quiet.id, environments: [quiet.environments[0]?.id] }] }
  await client.put(`/v1/members/${developer.id}/access`, granted)
  await plant([quiet.environments[0]?.id ?? ''], 1, inDays(3))
  for (const hour of [1, 2]) {
    const addresses = await reminded()
    if (hour === 1) expect(addresses).toContain(await emailOf(developer.userId))
    expect([await untoldOf(crowded.id), await untoldOf(quiet.id)]).toEqual([0, 0])
    await ctx.db`
      update secrets set expires_at = expires_at - interval '1 minute' where app_id = ${crowded.id}`
  }
  await ctx.db`delete from apps where id = ${crowded.id}`
}, 60_000)

test('a run tells of everything that is due, also where several transactions take it', async () => {
  const names = ['One', 'Two', 'Three', 'Four', 'Five', 'Six']
  const full = await app(ctx, undefined, names)
  await plant(
    full.environments.map(({ id }) => id),
    5000,
    inDays(1),
  )
  const email = await emailOf(ada.userId)
  const before = ctx.mailer.sent.length
  const mails = (await reminded()).filter((address) => address === email).length
  expect(await untoldOf(full.id)).toBe(0)
  // 20,000 at once, and the rest: two mails, which name each of the environments once or count it.
  expect(mails).toBe(2)
  const texts = ctx.mailer.sent
    .slice(before)
    .filter(({ to }) => to === email)
    .map(({ text }) => text)
  const told = texts.map((text) => {
    const others = Number(/and (\d+) others?/.exec(text)?.[1] ?? 0)
    return others + text.split(` of ${full.name}`).length - 1
  })
  expect(told.reduce((sum, count) => sum + count)).toBe(names.length)
  expect(await reminded()).toEqual([])
  await ctx.db`delete from apps where id = ${full.id}`
}, 60_000)

test('what expired more than a month ago is not told of, however often it is set', async () => {
  const { id } = (
    await client.post(place(), { secrets: [{ key: 'OLD', value: '', expiresAt: inDays(-31) }] })
  ).body[0]
  expect(await reminded()).toEqual([])
  await client.put(place(), { secrets: [{ id, expiresAt: inDays(-3000) }] })
  expect(await reminded()).toEqual([])
  await client.put(place(), { secrets: [{ id, expiresAt: inDays(-29) }] })
  expect(await reminded()).toContain(await emailOf(ada.userId))
})

test('each member is read once, with the first environments that the mail names, whatever it can open', async () => {
  const wide = await app(
    ctx,
    undefined,
    Array.from({ length: 20 }, (_, index) => `E${index}`),
  )
  const ids = wide.environments.map(({ id }) => id)
  const rows = await ctx.db.begin((tx) => holders(tx, ids, 3))
  const own = rows.filter(({ user_id }) => user_id === ada.userId)
  expect(own).toMatchObject([{ kind: 'owner', environments: 20, first_ids: ids.slice(0, 3) }])
  expect(new Set(rows.map(({ user_id }) => user_id)).size).toBe(rows.length)
})

test('environments and apps with the longest names are named in full', async () => {
  const name = (letter: string) => `${letter.repeat(32)} ${letter.repeat(31)}`
  const apps = ['a', 'b', 'c', 'd'].map((letter) => ({
    app: name(letter),
    environment: name(letter.toUpperCase()),
  }))
  for (const { app: appName, environment } of apps) {
    const made = await app(ctx, appName, [environment])
    await plant(
      made.environments.map(({ id }) => id),
      1,
      inDays(2),
    )
  }
  expect(await reminded()).toContain(await emailOf(ada.userId))
  const { text = '' } = ctx.mailer.sent.at(-1) ?? {}
  const named = apps.filter(({ app: appName }) => text.replaceAll(/\s+/g, ' ').includes(appName))
  expect(named.length).toBe(3)
  expect(text).toMatch(/and\s1\sother/)
})
