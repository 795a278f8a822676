import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { EXPIRY_MAILS } from '../../../src/core/notices/notices.ts'
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
