import { afterEach, expect, test } from 'bun:test'
import { getConstructionPlans, PgBoss, TestClock } from 'pg-boss'
import { Type } from 'typebox'
import { fakeClock } from '../../../src/platform/clock.ts'
import { openMemoryKv } from '../../../src/platform/kv/memory.ts'
import type { Database } from '../../../src/platform/postgres/database.ts'
import { poolForQueue } from '../../../src/platform/queue/database.ts'
import { createQueue, type Queue, type QueueContext } from '../../../src/platform/queue/queue.ts'
import { type Job, type QueueWorker, startQueueWorker } from '../../../src/platform/queue/worker.ts'
import { emptyDatabase, testDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'
import { recordedLog } from '../../support/log-recorder.ts'

const greet = {
  name: 'greet',
  payload: Type.Object({ id: Type.String() }, { additionalProperties: false }),
  retryLimit: 2,
  retryDelaySeconds: 100,
  backoff: true,
  expireSeconds: 60,
} as const

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

async function database(): Promise<Database> {
  const { db, drop } = await testDatabase()
  undo.push(drop)
  return db
}

// Ahead, because a caller's transaction does not know of the clock: what it sends must not be in the clock's future.
const ahead = () => new TestClock(Date.now() + 60_000)

async function open(more: Partial<QueueContext> = {}) {
  const { log, lines } = recordedLog()
  const ctx = { db: await database(), log, ...more }
  const queue = createQueue(ctx, [greet])
  await queue.start()
  undo.push(() => queue.stop())
  return { ctx, db: ctx.db, queue, lines }
}

async function work(
  ctx: QueueContext,
  run: Job<typeof greet>['run'],
  more: Partial<Job<typeof greet>> = {},
): Promise<QueueWorker> {
  const worker = await startQueueWorker(ctx, [{ ...greet, run, ...more }], { pollSeconds: 0.5 })
  undo.push(() => worker.stop({ graceSeconds: 0 }))
  return worker
}

const send = (db: Database, queue: Queue<typeof greet>, id: string) =>
  db.begin((tx) => queue.send(tx, 'greet', { id }))

const jobs = (db: Database) =>
  db`select name, state::text, data, retry_count, source_name from pgboss.job where name not like '\\_\\_%' order by name, created_on`

test('the schema in the database is exactly the one that the installed pg-boss needs', async () => {
  const { db } = await open()
  const [row] = await db`select version from pgboss.version`
  const wanted = /pgboss\.version\(version\) VALUES \('(\d+)'\)/.exec(getConstructionPlans('pgboss'))?.[1]
  expect(row?.version).toBe(Number(wanted))
  const boss = new PgBoss({ db: poolForQueue(db), migrate: false })
  expect(await boss.detectSchemaDrift()).toMatchObject({ ok: true, extraIndexes: [] })
})

test('a job is run with its payload once its transaction has committed', async () => {
  const { ctx, db, queue } = await open()
  const ran: unknown[] = []
  await work(ctx, async (payload) => void ran.push(payload))
  await send(db, queue, 'one')
  await eventually('the job ran', () => ran.length > 0)
  expect(ran).toEqual([{ id: 'one' }])
  await eventually('it is completed', async () => (await jobs(db))[0]?.state === 'completed')
})

test('a patient job comes after all others', async () => {
  const { ctx, db, queue } = await open()
  await db.begin((tx) => queue.send(tx, 'greet', { id: 'patient' }, { patient: true }))
  await send(db, queue, 'one')
  await send(db, queue, 'two')
  const ran: string[] = []
  await work(ctx, async ({ id }) => void ran.push(id))
  await eventually('all have run', () => ran.length === 3)
  expect(ran).toEqual(['one', 'two', 'patient'])
})

test('a transaction that is rolled back sends nothing', async () => {
  const { db, queue } = await open()
  const failing = db.begin(async (tx) => {
    await queue.send(tx, 'greet', { id: 'one' })
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect((await jobs(db)).length).toBe(0)
})

test('sending needs no second connection, however many send at once', async () => {
  const { db, queue } = await open()
  const transactions = Array.from({ length: 20 }, (_, index) => send(db, queue, String(index)))
  await Promise.all(transactions)
  expect((await jobs(db)).length).toBe(20)
})

test('a payload that the job does not take is refused when it is sent', async () => {
  const { db, queue } = await open()
  const wrong = { id: 'one', token: 'secret' }
  await expect(db.begin((tx) => queue.send(tx, 'greet', wrong))).rejects.toThrow(
    'The payload of the job greet is invalid.',
  )
  const unknown = 'leave' as 'greet'
  await expect(db.begin((tx) => queue.send(tx, unknown, { id: 'one' }))).rejects.toThrow(
    'There is no job called leave.',
  )
  expect((await jobs(db)).length).toBe(0)
})

test('a stored payload that the job does not take is not run but dead-lettered at once', async () => {
  const { ctx, db, queue, lines } = await open()
  await send(db, queue, 'one')
  await db`update pgboss.job set data = '{"id": 1}'`
  let ran = 0
  await work(ctx, async () => void ran++)
  await eventually('it is dead-lettered', async () => (await jobs(db))[0]?.name === 'dead-letter')
  expect(ran).toBe(0)
  expect(lines.join()).toContain('A job has an invalid payload')
})

test('a failing job is tried again with growing delays and then dead-lettered, without a word of its error', async () => {
  const timers = ahead()
  const { ctx, db, queue, lines } = await open({ timers })
  let ran = 0
  await work(ctx, async () => {
    ran++
    throw new Error('ada@example.com is no address')
  })
  await send(db, queue, 'one')
  const state = async () => (await jobs(db)).map((job) => [job.name, job.state, job.retry_count])
  const failed = (times: number) =>
    eventually(
      `run ${times} has failed`,
      async () => ran === times && !(await state()).flat().includes('active'),
    )
  await timers.tick(1000)
  for (const times of [1, 2]) {
    await failed(times)
    const [job] = await db`select start_after from pgboss.job`
    const delay = job?.start_after.getTime() - timers.now()
    expect(delay).toBeWithin(times * 100_000 - 2000, times * 200_000 + 1)
    await timers.tick(delay - 1000)
    expect(ran).toBe(times)
    await timers.tick(2000)
  }
  await failed(3)
  expect(await state()).toEqual([
    ['dead-letter', 'created', 0],
    ['greet', 'failed', 2],
  ])
  expect(await jobs(db)).toMatchObject([{ data: { id: 'one' }, source_name: 'greet' }, {}])
  const rows = JSON.stringify(await db`select * from pgboss.job`)
  expect(`${rows}${lines.join()}`).not.toContain('ada@')
  expect(lines.filter((line) => line.includes('will be tried again')).length).toBe(2)
  expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({
    job: 'greet',
    fault: 'Error',
    msg: 'A job failed finally; moved to the dead-letter queue',
  })
})

test('a job whose worker vanished is taken by another one when its time is over', async () => {
  const timers = ahead()
  const { ctx, db, queue } = await open({ timers })
  await send(db, queue, 'one')
  const vanished = new PgBoss({ db: poolForQueue(db), migrate: false, supervise: false, schedule: false })
  expect((await vanished.fetch('greet')).length).toBe(1)
  const ran: unknown[] = []
  await work(ctx, async (payload) => void ran.push(payload))
  await timers.tick(50_000)
  expect(ran).toEqual([])
  const isTaken = async () => {
    await timers.tick(30_000)
    return ran.length > 0
  }
  await eventually('another worker ran it', isTaken, 30)
  expect(ran).toEqual([{ id: 'one' }])
}, 60_000)

test('stopping lets what runs finish and takes nothing new', async () => {
  const { ctx, db, queue } = await open()
  const gate = Promise.withResolvers<void>()
  let ran = 0
  const worker = await work(ctx, async () => {
    ran++
    await gate.promise
  })
  await send(db, queue, 'one')
  await eventually('the first job runs', () => ran === 1)
  await send(db, queue, 'two')
  let stopped = false
  const stopping = worker.stop({ graceSeconds: 10 }).then(() => {
    stopped = true
  })
  await Bun.sleep(200)
  expect(stopped).toBe(false)
  gate.resolve()
  await stopping
  expect((await jobs(db)).map((job) => job.state)).toEqual(['completed', 'created'])
  expect(ran).toBe(1)
})

test('stopping without grace aborts what runs, and another worker takes it', async () => {
  const { ctx, db, queue } = await open()
  const signals: AbortSignal[] = []
  const worker = await work(ctx, (_, signal) => {
    signals.push(signal)
    return new Promise(() => {})
  })
  await send(db, queue, 'one')
  await eventually('the job runs', () => signals.length === 1)
  await worker.stop({ graceSeconds: 0 })
  expect(signals[0]?.aborted).toBe(true)
  await db`update pgboss.job set start_after = now()`
  const ran: unknown[] = []
  await work(ctx, async (payload) => void ran.push(payload))
  await eventually('the job ran again', () => ran.length === 1)
})

test('a scheduled job is enqueued when it is due, and no longer once it has no schedule', async () => {
  const timers = new TestClock('2030-01-01T00:03:10Z')
  const { ctx, db, lines } = await open({ timers })
  let ran = 0
  const tidy = { payload: Type.Object({}), name: 'greet' } as const
  const start = (cron?: string) =>
    startQueueWorker(ctx, [{ ...greet, ...tidy, ...(cron && { cron }), run: async () => void ran++ }])
  const worker = await start('*/5 * * * *')
  await timers.tick(60_000)
  expect(ran).toBe(0)
  await timers.tick(120_000)
  await eventually('the job ran', () => ran === 1)
  expect(lines.filter((line) => line.includes('"level":50'))).toEqual([])
  await worker.stop({ graceSeconds: 0 })
  const without = await start()
  undo.push(() => without.stop({ graceSeconds: 0 }))
  expect((await db`select 1 from pgboss.schedule`).length).toBe(0)
})

test('a wake-up has a worker look at once', async () => {
  const timers = ahead()
  const kv = openMemoryKv(fakeClock())
  const { ctx, db, queue } = await open({ timers, kv })
  let ran = 0
  await work(ctx, async () => void ran++)
  await send(db, queue, 'one')
  // The clock stands still, so that no poll can come first.
  await queue.wake()
  await eventually('the job ran', () => ran === 1)
})

test('a worker does not wait between jobs while there are more', async () => {
  const timers = ahead()
  const { ctx, db, queue } = await open({ timers })
  await Promise.all(Array.from({ length: 5 }, (_, index) => send(db, queue, String(index))))
  const ran: unknown[] = []
  await work(ctx, async (payload) => void ran.push(payload))
  await eventually('all have run', () => ran.length === 5)
})

test('a text that fails half-way leaves no connection in its transaction', async () => {
  const { db } = await open()
  const pool = poolForQueue(db)
  for (let i = 0; i < 12; i++) {
    await expect(pool.executeSql('BEGIN; select 1 / 0; COMMIT;')).rejects.toThrow('division')
  }
  const answers = await Promise.all(Array.from({ length: 12 }, () => pool.executeSql('select 1 as one')))
  expect(answers.every(({ rows }) => rows[0].one === 1)).toBe(true)
})

test('the rows of all statements of a text come back as one list', async () => {
  const { db } = await open()
  const pool = poolForQueue(db)
  for (const text of ['select 1 as n; select 2 as n', 'BEGIN; select 1 as n; select 2 as n; COMMIT;']) {
    expect(await pool.executeSql(text)).toEqual({ rows: [{ n: 1 }, { n: 2 }] })
  }
  expect(await pool.executeSql('select $1::int as n', [1])).toEqual({ rows: [{ n: 1 }] })
  expect(await pool.executeSql('select 1 as n limit 0')).toEqual({ rows: [] })
})

test('a parameter that is JSON text already is not encoded once more', async () => {
  const { db } = await open()
  const { rows } = await poolForQueue(db).executeSql(
    'select json_typeof($1::json) as kind, $1::jsonb as value',
    ['[{"a": 1}]'],
  )
  expect(rows).toEqual([{ kind: 'array', value: [{ a: 1 }] }])
})

test('a worker cannot start on a database without its schema', async () => {
  const { db, drop } = await emptyDatabase()
  undo.push(drop)
  const starting = startQueueWorker({ db, log: recordedLog().log }, [])
  await expect(starting).rejects.toThrow('pgboss')
})
