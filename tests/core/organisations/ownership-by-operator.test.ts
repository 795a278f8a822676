import { afterAll, beforeEach, expect, test } from 'bun:test'
import type { Context } from '../../../src/context.ts'
import type { Operator } from '../../../src/core/audit/audit.ts'
import { createServerKeys } from '../../../src/core/keys/server-keys.ts'
import { makeOwner, previewOwner } from '../../../src/core/organisations/ownership-by-operator.ts'
import { transfer } from '../../../src/core/organisations/ownership-transfer.ts'
import { createChangeLimiter } from '../../../src/platform/postgres/limiters.ts'
import { api } from '../../support/api.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { runJobs } from '../../support/jobs.ts'
import { member, owner, type Person, user } from '../../support/people.ts'
import { raceFor } from '../../support/races.ts'

const SMTP = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' }
const operator: Operator = { type: 'operator', by: 'keyward users make-owner' }

let ctx: TestContext
let ada: Person & { organisationId: string }

beforeEach(async () => {
  await ctx?.close()
  ctx = await testContext(SMTP)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

const emailOf = async ({ userId }: { userId: string }): Promise<string> =>
  (await ctx.db`select email from users where id = ${userId}`)[0]?.email

const make = async (person: Person, expected = ada.id, process: Context = ctx) =>
  makeOwner(process, operator, await emailOf(person), expected)

const kinds = async (...people: Person[]) => {
  const rows = await ctx.db<{ id: string; role_kind: string }[]>`select id, role_kind from principals`
  return people.map(({ id }) => rows.find((row) => row.id === id)?.role_kind)
}

test('a Developer becomes the Owner with a key copy of every environment, and the Owner an Admin', async () => {
  const grace = await member(ctx, 'developer')
  const app = (await api(ctx).as(ada.token).post('/v1/apps', { name: 'Billing' })).body
  ctx.clock.advance(60)
  expect(await previewOwner(ctx, await emailOf(grace))).toMatchObject({
    owner: { id: ada.id, role: 'Owner' },
    next: { id: grace.id, role: 'Developer' },
  })
  await make(grace)
  expect(await kinds(ada, grace)).toEqual(['admin', 'owner'])
  const keys = await api(ctx).as(grace.token).get('/v1/me/keys')
  expect(keys.body.environments.map((one: { environmentId: string }) => one.environmentId).sort()).toEqual(
    app.environments.map(({ id }: { id: string }) => id).sort(),
  )
  const former = await api(ctx).as(ada.token).get('/v1/me/keys')
  expect(former.body.environments).toHaveLength(3)
  const shown = await api(ctx).as(grace.token).get(`/v1/members/${ada.id}`)
  expect(shown.body).toMatchObject({ role: { name: 'Admin' }, updatedAt: ctx.clock.now().toISOString() })
  expect((await entriesAbout(ctx, ada.organisationId)).at(-1)).toMatchObject({
    event_type: 'organisation.ownership_transferred',
    actor_id: null,
    old_values: { ownerId: ada.id },
    new_values: { ownerId: grace.id },
  })
  expect(await runJobs(ctx)).toEqual(['send-notice', 'send-notice'])
  expect(new Set(ctx.mailer.sent.map(({ to }) => to))).toEqual(
    new Set([await emailOf(grace), await emailOf(ada)]),
  )
})

test('the new Owner can remove the one who has left', async () => {
  const grace = await member(ctx, 'admin')
  await make(grace)
  expect((await api(ctx).as(grace.token).delete(`/v1/members/${ada.id}`)).status).toBe(204)
  await runJobs(ctx)
})

test('the Owner, an unknown address and an account without a membership change nothing', async () => {
  await make(ada)
  await expect(makeOwner(ctx, operator, 'nobody@example.org', ada.id)).rejects.toThrow('No account has')
  const outsider = await user(ctx, 'outsider@example.org')
  await expect(makeOwner(ctx, operator, 'outsider@example.org', ada.id)).rejects.toThrow(
    'outsider@example.org has an account, but is not a member of the organisation',
  )
  const grace = await member(ctx, 'admin')
  const path = `/v1/members/${grace.id}`
  const gone = await emailOf(grace)
  await api(ctx).as(ada.token).delete(path)
  await expect(makeOwner(ctx, operator, gone, ada.id)).rejects.toThrow('is not a member')
  expect(await kinds(ada)).toEqual(['owner'])
  const types = (await entriesAbout(ctx, ada.organisationId)).map(({ event_type }) => event_type)
  expect(types).not.toContain('organisation.ownership_transferred')
  expect(outsider).toBeString()
  await runJobs(ctx)
})

test('another SERVER_SECRET is refused before anything is wrapped with it', async () => {
  const grace = await member(ctx, 'developer')
  await ctx.db`update deployment set server_key_id = ${ctx.keys.keyId}`
  const wrong = { ...ctx, keys: createServerKeys(new Uint8Array(32).fill(9)) }
  const attempt = makeOwner(wrong, operator, await emailOf(grace), ada.id)
  await expect(attempt).rejects.toThrow('SERVER_SECRET is not the one')
  expect(await kinds(ada, grace)).toEqual(['owner', 'developer'])
})

const lock = (tx: Parameters<Parameters<typeof raceFor>[1]>[0]) =>
  tx`select 1 from organisations where id = ${ada.organisationId} for update`
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.message,
  )

test('of two at once one makes its Owner, the other is told', async () => {
  const [grace, alan] = [await member(ctx, 'admin'), await member(ctx, 'developer')]
  const another = { ...ctx, limitChanges: createChangeLimiter(ctx.db) }
  const outcomes = await raceFor(
    ctx.db,
    lock,
    () => outcome(make(grace)),
    () => outcome(make(alan, ada.id, another)),
  )
  expect(outcomes.filter((one) => one === 'done')).toHaveLength(1)
  expect(outcomes.join()).toContain('The Owner has changed meanwhile')
  const [of, by] = outcomes[0] === 'done' ? [grace, alan] : [alan, grace]
  expect(await kinds(ada, of)).toEqual(['admin', 'owner'])
  expect(await kinds(by)).not.toEqual(['owner'])
  await runJobs(ctx)
})

test('beside a transfer by the Owner there is one Owner, and whoever was late is told', async () => {
  const [grace, alan] = [await member(ctx, 'admin'), await member(ctx, 'admin')]
  const role = (await ctx.db`select role_id from principals where id = ${ada.id}`)[0]?.role_id
  const token = (await ctx.db`select id from tokens where principal_id = ${ada.id}`)[0]?.id
  const actor = {
    type: 'user',
    id: ada.id,
    responsibleId: ada.id,
    branchId: ada.id,
    userId: ada.userId,
    name: 'Ada',
    email: null,
    organisation: { id: ada.organisationId },
    role: { id: role, kind: 'owner', name: 'Owner', permissions: { permissions: {}, appPermissions: {} } },
    credential: { kind: 'token', id: token, text: '' },
    source: { ipAddress: null, userAgent: null, requestId: 'test' },
  } as const
  const outcomes = await raceFor(
    ctx.db,
    lock,
    () => outcome(make(grace)),
    () => outcome(transfer(ctx, actor, { member_id: alan.id }, 'browser')),
  )
  expect(outcomes.filter((one) => one === 'done')).toHaveLength(1)
  const expected = outcomes[0] === 'done' ? ['owner', 'admin'] : ['admin', 'owner']
  expect(await kinds(grace, alan)).toEqual(expected)
  expect(outcomes.find((one) => one !== 'done')).toMatch(
    /^(The Owner has changed meanwhile|Only the Owner can transfer)/,
  )
  await runJobs(ctx)
})

test('beside the removal of the member there is an Owner', async () => {
  const grace = await member(ctx, 'admin')
  const outcomes = await raceFor(
    ctx.db,
    lock,
    () => outcome(make(grace)),
    async () => String((await api(ctx).as(ada.token).delete(`/v1/members/${grace.id}`)).status),
  )
  const owners = await ctx.db`select id from principals where role_kind = 'owner'`
  expect(owners).toHaveLength(1)
  expect(owners[0]?.id).toBe(outcomes[0] === 'done' ? grace.id : ada.id)
  await runJobs(ctx)
})
