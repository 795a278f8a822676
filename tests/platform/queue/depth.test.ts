import { afterAll, beforeAll, expect, test } from 'bun:test'
import { queueDepth } from '../../../src/platform/queue/depth.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { countStatements } from '../../support/statements.ts'

const NAMES = ['send-invite', 'send-notice']

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext()
  await ctx.queue.start()
})
afterAll(async () => {
  await ctx.db`delete from pgboss.job`
  await ctx.close()
})

const samples = (text: string) => text.split('\n').filter((line) => /^[a-z]/.test(line))

test('jobs that wait are counted by kind, with the age of the oldest, and those that are done are not', async () => {
  await ctx.db`
    insert into pgboss.job (name, state, created_on, policy, retry_limit, retry_count)
    select name, state::pgboss.job_state, now() - make_interval(secs => age), 'standard', 3, 0
    from (values
      ('send-invite', 'created', 5), ('send-invite', 'retry', 90), ('send-invite', 'completed', 900),
      ('send-invite', 'active', 800), ('send-verification', 'created', 700)
    ) as job (name, state, age)`
  const text = await queueDepth(ctx.db, NAMES)()
  expect(samples(text)).toEqual([
    'keyward_queue_jobs{queue="send-invite"} 2',
    'keyward_queue_jobs{queue="send-notice"} 0',
    expect.stringMatching(/^keyward_queue_oldest_job_seconds\{queue="send-invite"\} 9[0-5]$/),
    'keyward_queue_oldest_job_seconds{queue="send-notice"} 0',
  ])
})

test('many scrapes are one statement', async () => {
  const depth = queueDepth(ctx.db, NAMES)
  const statements = await countStatements(ctx, async () => {
    await Promise.all(Array.from({ length: 20 }, () => depth()))
  })
  expect(statements).toBe(1)
})

test('a database that does not answer keeps a scrape waiting for two seconds at most', async () => {
  const never = (() => new Promise(() => {})) as unknown as typeof ctx.db
  const start = performance.now()
  expect(await queueDepth(never, NAMES)()).toBe('')
  expect(performance.now() - start).toBeLessThan(2500)
  const failing = (() => Promise.reject(new Error('needle'))) as unknown as typeof ctx.db
  expect(await queueDepth(failing, NAMES)()).toBe('')
})
