import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { chooseJobs, dropJobs, retryJobs } from '../../../src/core/operators/dead-letters.ts'
import { type DeadLetters, openDeadLetters } from '../../../src/platform/queue/dead-letters.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner } from '../../support/people.ts'

let ctx: TestContext
let deadLetters: DeadLetters

beforeAll(async () => {
  ctx = await testContext()
  await owner(ctx)
  await ctx.queue.start()
})
afterAll(() => ctx.close())
beforeEach(async () => {
  deadLetters = await openDeadLetters(ctx)
})
afterEach(async () => {
  await deadLetters.close()
  await ctx.db`delete from pgboss.job where name <> 'x'`
})

/** Jobs that have failed for good, with what was stored of their last error. */
async function failed(count: number, output: object = { fault: 'ECONNREFUSED' }, name = 'send-invite') {
  const rows = Array.from({ length: count }, () => ({ id: randomUUID(), inviteId: randomUUID() }))
  await ctx.db`
    insert into pgboss.job (id, name, data, source_name, source_id, source_retry_count, source_output)
    select (row ->> 'id')::uuid, 'dead-letter', jsonb_build_object('inviteId', row ->> 'inviteId'), ${name}, (row ->> 'inviteId')::uuid, 12,
      ${ctx.db.json(output as never)}::jsonb
    from jsonb_array_elements(${ctx.db.json(rows)}::jsonb) as row`
  return rows.map(({ id }) => id)
}

const queued = () =>
  ctx.db<{ name: string }[]>`select name from pgboss.job where state = 'created' and name not like '\\_\\_%'`
const entries = async () => [
  ...(await ctx.db`
    select event_type, resource_id, actor_type, old_values, new_values, description from audit_entries
    where resource_type = 'job' order by timestamp, id`),
]

test('a failed job is listed with its name, its runs and the class of its last error', async () => {
  const [id = ''] = await failed(1)
  expect(await deadLetters.list()).toEqual([
    { id, job: 'send-invite', failedAt: expect.any(Date), runs: 13, fault: 'ECONNREFUSED' },
  ])
})

test.each([
  ['a message', { message: 'ada@example.org does not exist' }, 'unknown'],
  ['a message of pg-boss', { value: { message: 'job timed out' } }, 'timeout'],
  ['another message there', { value: { message: 'ada@example.org' } }, 'unknown'],
  ['a sentence as class', { fault: 'ada@example.org does not exist' }, 'unknown'],
  ['something long', { fault: 'a'.repeat(41) }, 'unknown'],
])('of %s nothing is shown but a class', async (_, output, fault) => {
  await failed(1, output)
  expect((await deadLetters.list()).map((job) => job.fault)).toEqual([fault])
})

test('one is enqueued again, with an entry that names it, and the others stay', async () => {
  const [id = ''] = await failed(3)
  const chosen = await chooseJobs(deadLetters, [id.toUpperCase(), id])
  expect(await retryJobs(ctx, deadLetters, chosen)).toBe(1)
  const names = (await queued()).map(({ name }) => name)
  expect(names.sort()).toEqual(['dead-letter', 'dead-letter', 'send-invite'])
  expect((await entries()).at(-1)).toEqual({
    event_type: 'job.retried',
    resource_id: id,
    actor_type: 'operator',
    old_values: null,
    new_values: { count: 1, names: ['send-invite'] },
    description: 'A failed job was enqueued again.',
  })
  expect(await retryJobs(ctx, deadLetters, chosen)).toBe(0)
})

test('all are enqueued again or deleted, however many they are', async () => {
  await failed(1100)
  await failed(1, {}, 'send-notice')
  expect(await retryJobs(ctx, deadLetters, await chooseJobs(deadLetters, 'all'))).toBe(1101)
  expect(await deadLetters.list()).toEqual([])
  expect((await queued()).filter(({ name }) => name === 'send-invite')).toHaveLength(1100)
  await failed(600)
  expect(await dropJobs(ctx, deadLetters, await chooseJobs(deadLetters, 'all'))).toBe(600)
  const dropped = (await entries()).filter(({ event_type }) => event_type === 'job.dropped')
  expect(dropped.map(({ old_values }) => old_values.count).sort()).toEqual([100, 500])
  expect(dropped[0]).toMatchObject({ resource_id: null, new_values: null })
})

test('an unknown id refuses all of them, and what is no id is not repeated', async () => {
  const [id = ''] = await failed(1)
  const unknown = randomUUID()
  await expect(chooseJobs(deadLetters, [id, unknown])).rejects.toThrow(`Failed job "${unknown}" not found.`)
  await expect(chooseJobs(deadLetters, ['secret'])).rejects.toThrow('Failed job not found.')
})

test('of two commands at once each job is enqueued by one', async () => {
  await failed(40)
  const chosen = await chooseJobs(deadLetters, 'all')
  const counts = await Promise.all([retryJobs(ctx, deadLetters, chosen), retryJobs(ctx, deadLetters, chosen)])
  await retryJobs(ctx, deadLetters, chosen)
  expect((await queued()).filter(({ name }) => name === 'send-invite')).toHaveLength(40)
  expect(counts[0] + counts[1]).toBeLessThanOrEqual(40)
})

test('where no queue was ever made, there is nothing', async () => {
  const fresh = await testContext()
  const none = await openDeadLetters(fresh)
  expect(await none.list()).toEqual([])
  expect(await retryJobs(fresh, none, [])).toBe(0)
  await none.close()
  await fresh.close()
})
