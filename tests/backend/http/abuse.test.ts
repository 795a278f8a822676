import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { createApp } from '../../../src/backend/app.ts'
import { createLog } from '../../../src/platform/log.ts'
import { api } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { member, owner, type Person, roleOf, session, user } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

const register = (client: ReturnType<typeof api>, body: object) =>
  client.anonymous.post('/service/auth/password/register', { password: 'correct horse', ...body })

test('an invite’s link is shown to those alone who may invite', async () => {
  const role_id = (await roleOf(ctx, 'manager')).id
  const made = await service.as(ada.token).post('/v1/members/invites', { email: 'boss@example.org', role_id })
  expect(made.body.inviteUrl).toContain('/invite#')
  const developer = await member(ctx, 'developer')
  const seen = await service.as(developer.token).get('/v1/members/invites')
  expect(seen.body.data).toContainEqual({ ...made.body, inviteUrl: null })
})

test('where registration is by invite only, an invite is looked at before anything else', async () => {
  const closed = api({ ...ctx, config: testConfig({ REGISTRATION: 'invite' }) })
  await register(service, { email: 'taken@example.org' })
  expect((await register(closed, { email: 'taken@example.org' })).status).toBe(403)
  expect((await register(closed, { email: 'taken@example.org', invite: 'x'.repeat(75) })).status).toBe(404)
  const role_id = (await roleOf(ctx, 'developer')).id
  const { body } = await service
    .as(ada.token)
    .post('/v1/members/invites', { email: 'new@example.org', role_id })
  const invite = body.inviteUrl.split('#')[1]
  expect((await register(closed, { email: 'taken@example.org', invite })).status).toBe(403)
  expect((await register(closed, { email: 'new@example.org', invite })).status).toBe(201)
})

test('registrations without an invite are counted for each address', async () => {
  const from = (address: string) => api(ctx, address)
  const bad = Array.from({ length: 61 }, () => register(from('203.0.113.5'), { email: 'taken@example.org' }))
  const statuses = (await Promise.all(bad)).map((answer) => answer.status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  expect((await register(from('203.0.113.6'), { email: 'taken@example.org' })).status).toBe(409)
  const off = api({ ...ctx, config: testConfig({ RATE_LIMIT_AUTH: 'off' }) }, '203.0.113.5')
  expect((await register(off, { email: 'taken@example.org' })).status).toBe(409)
})

test('whoever asks for one thing after the other does not fill the audit log', async () => {
  const outsider = await session(ctx, await user(ctx))
  for (let i = 0; i < 40; i++) {
    expect((await service.as(outsider).get(`/v1/roles/${randomUUID()}`)).status).toBe(403)
  }
  const entries = await ctx.db`
    select resource_id, count from audit_entries where event_type = 'role.read_refused' order by count`
  expect(entries.length).toBe(21)
  expect(entries.reduce((sum, entry) => sum + entry.count, 0)).toBe(40)
  expect(entries.at(-1)).toEqual({ resource_id: null, count: 20 })
})

test('which apps and environments a change of access named is for global access alone', async () => {
  const made = await app(ctx)
  const grace = await member(ctx, 'developer')
  const wished = { apps: [{ id: made.id, environments: [made.environments[0]?.id] }] }
  await service.as(ada.token).put(`/v1/members/${grace.id}/access`, wished)
  const path = `/v1/logs/audit?resource_id=${grace.id}&event_type=member.access_changed`
  expect((await service.as(ada.token).get(path)).body.data[0]).toMatchObject({
    oldValues: { revoked: [], total: 0 },
    newValues: { granted: wished.apps[0]?.environments, total: 1 },
  })
  const reader = await member(ctx, 'developer')
  const [entry] = (await service.as(reader.token).get(path)).body.data
  expect({ old: entry.oldValues, new: entry.newValues }).toEqual({ old: null, new: null })
})

test('an unforeseen error is a 500 of one sentence, whose words stay inside', async () => {
  const fail = () => {
    throw new Error('secret words')
  }
  const broken = { ...ctx, log: createLog('silent'), clock: { now: fail } }
  const response = await createApp(broken).handle(
    new Request('http://localhost/v1/roles', { headers: { authorization: `Bearer ${ada.token}` } }),
  )
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 500,
    body: { error: "Internal error. The log has the details under the request's id." },
  })
})
