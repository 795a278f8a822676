import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { oldEntries } from '../../../src/core/audit/retention.ts'
import { removeExpired } from '../../../src/core/housekeeping.ts'
import { doInParts } from '../../../src/core/parts.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner, type Person } from '../../support/people.ts'

const DAY = 24 * 3600

const removeOldEntries = (ctx: TestContext) => doInParts([oldEntries(ctx)])

let ctx: TestContext
let ada: Person & { organisationId: string }

beforeAll(async () => {
  ctx = await testContext({ AUDIT_RETENTION_DAYS: '30' })
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

/** Entries of this time. */
const write = (count: number, at: Date) => ctx.db`
  insert into audit_entries (id, organisation_id, event_type, resource_type, actor_type, actor_id, actor_metadata,
    resource_metadata, description, timestamp)
  select gen_random_uuid(), ${ada.organisationId}, 'app.created', 'app', 'user', ${randomUUID()}, '{}', '{}', 'Old.', ${at}
  from generate_series(1, ${count})`

const old = async () => (await ctx.db`select 1 from audit_entries where description = 'Old.'`).length
const deletions = () => ctx.db<{ new_values: unknown; actor_type: string; actor_metadata: unknown }[]>`
  select new_values, actor_type, actor_metadata from audit_entries
  where event_type = 'audit_log.entries_deleted' order by timestamp, id`

/** How many entries were deleted, by what the entries about it say. */
const counted = async () =>
  (await deletions()).reduce((sum, { new_values }) => sum + (new_values as { count: number }).count, 0)

test('entries are kept for the days that were set and to the end of that day, then deleted in one run', async () => {
  // The clock stands at midnight.
  await write(4500, ctx.clock.now())
  ctx.clock.advance(30 * DAY + DAY - 1)
  await write(3, ctx.clock.now())
  await removeExpired(ctx)
  expect(await old()).toBe(4503)
  expect(await deletions()).toHaveLength(0)
  ctx.clock.advance(1)
  await removeExpired(ctx)
  expect(await old()).toBe(3)
  expect(await deletions()).toEqual([
    {
      new_values: { count: 4500, before: '2026-01-02T00:00:00.000Z' },
      actor_type: 'operator',
      actor_metadata: { name: 'Operator', role: null, by: 'AUDIT_RETENTION_DAYS' },
    },
  ] as never)
  ctx.clock.advance(600)
  await removeExpired(ctx)
  expect(await deletions()).toHaveLength(1)
})

test('what was deleted is told by the API, to those who can read the log', async () => {
  const path = '/v1/logs/audit?event_type=audit_log.entries_deleted'
  const { body } = await api(ctx).as(ada.token).get(path)
  expect(body.data).toMatchObject([
    { actorType: 'operator', actorId: null, resourceType: 'audit_log', newValues: { count: 4500 } },
  ])
})

test('what the deleted changes of access named is deleted with them, and no more', async () => {
  const [environmentId, memberId] = [randomUUID(), randomUUID()]
  const change = (at: Date) => ctx.db`
    insert into audit_entries (id, organisation_id, event_type, resource_type, resource_id, actor_type, actor_id,
      actor_metadata, resource_metadata, new_values, description, timestamp)
    values (gen_random_uuid(), ${ada.organisationId}, 'member.access_changed', 'member', ${memberId}, 'user', ${memberId},
      '{}', '{}', ${ctx.db.json({ granted: [environmentId], total: 1 })}, 'Changed.', ${at})`
  const [old, kept] = [new Date('2025-12-31T23:59:59.999Z'), new Date('2026-01-02T00:00:00Z')]
  await change(old)
  await change(kept)
  const named = () =>
    ctx.db`select timestamp from audit_access_changes where environment_id = ${environmentId}`
  expect(await named()).toHaveLength(2)
  await removeOldEntries(ctx)
  expect(await named()).toEqual([{ timestamp: kept }] as never)
})

test('an entry that can not be written keeps the entries from being deleted', async () => {
  await write(5, new Date('2025-01-01T00:00:00Z'))
  const before = await old()
  await ctx.db`alter table audit_entries add constraint no_entries check (event_type <> 'audit_log.entries_deleted') not valid`
  await expect(removeOldEntries(ctx)).rejects.toThrow('no_entries')
  await ctx.db`alter table audit_entries drop constraint no_entries`
  expect(await old()).toBe(before)
  await removeOldEntries(ctx)
  expect(await old()).toBe(before - 5)
})

test('two runs at once delete each entry once, and their counts add up', async () => {
  await write(6000, new Date('2025-01-01T00:00:00Z'))
  const before = await counted()
  await Promise.all([removeOldEntries(ctx), removeOldEntries(ctx)])
  await removeOldEntries(ctx)
  expect(await ctx.db`select 1 from audit_entries where timestamp < '2025-06-01'`).toHaveLength(0)
  expect((await counted()) - before).toBe(6000)
})

test('without the setting nothing is deleted', async () => {
  await write(2, new Date('2025-01-01T00:00:00Z'))
  const before = await old()
  await removeOldEntries({ ...ctx, config: { ...ctx.config, auditRetentionDays: null } })
  expect(await old()).toBe(before)
})
