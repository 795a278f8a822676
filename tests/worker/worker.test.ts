import { afterEach, expect, test } from 'bun:test'
import { TestClock } from 'pg-boss'
import { Type } from 'typebox'
import { systemClock } from '../../src/platform/clock.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { migrate, readMigrations } from '../../src/platform/postgres/migrate.ts'
import { createQueue, type QueueContext } from '../../src/platform/queue/queue.ts'
import type { Job } from '../../src/platform/queue/worker.ts'
import { startWorker } from '../../src/worker/worker.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { recordedLog } from '../support/log-recorder.ts'
import { startRestartablePostgres } from '../support/restartable-postgres.ts'

const settings = { retryLimit: 3, retryDelaySeconds: 1, backoff: true, expireSeconds: 60 } as const
const greet = { ...settings, name: 'greet', payload: Type.Object({ id: Type.Integer() }) } as const
const tidy = { ...settings, name: 'tidy', payload: Type.Object({}), cron: '*/5 * * * *' } as const

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

const greeting = (run: Job<typeof greet>['run']): Job<typeof greet> => ({ ...greet, run })

async function queueOn(ctx: QueueContext) {
  const queue = createQueue(ctx, [greet])
  await queue.start()
  undo.push(() => queue.stop())
  return queue
}

test('a worker runs sent and scheduled jobs, each kind by its own work', async () => {
  const { db, drop } = await testDatabase()
  undo.push(drop)
  const timers = new TestClock('2030-01-01T00:04:00Z')
  const ctx = { db, log: recordedLog().log, timers }
  const ran: unknown[] = []
  const jobs: Job[] = [
    greeting(async ({ id }) => void ran.push(id)),
    { ...tidy, run: async () => void ran.push('tidy') },
  ]
  const worker = await startWorker(ctx, jobs)
  undo.push(() => worker.stop())
  const queue = await queueOn(ctx)
  await db.begin((tx) => queue.send(tx, 'greet', { id: 7 }))
  await timers.tick(2000)
  await eventually('the sent job ran', () => ran.includes(7))
  await timers.tick(120_000)
  await eventually('the scheduled job ran', () => ran.includes('tidy'))
  expect(ran).toEqual([7, 'tidy'])
})

test('two workers share the jobs and run none twice', async () => {
  const { db, drop } = await testDatabase()
  undo.push(drop)
  const ctx = { db, log: recordedLog().log }
  const ran: number[] = []
  const queue = await queueOn(ctx)
  await db.begin(async (tx) => {
    for (let id = 0; id < 20; id++) await queue.send(tx, 'greet', { id })
  })
  const start = () => startWorker(ctx, [greeting(async ({ id }) => void ran.push(id))], { pollSeconds: 0.5 })
  for (const worker of await Promise.all([start(), start()])) undo.push(() => worker.stop())
  await eventually('all jobs ran', () => ran.length >= 20)
  expect(ran.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, id) => id))
})

test('a worker that stops says so after what runs has ended', async () => {
  const { db, drop } = await testDatabase()
  undo.push(drop)
  const { log, lines } = recordedLog()
  const queue = await queueOn({ db, log })
  await db.begin((tx) => queue.send(tx, 'greet', { id: 7 }))
  let state = 'waiting'
  const run = async () => {
    state = 'running'
    await Bun.sleep(300)
    state = 'ended'
  }
  const worker = await startWorker({ db, log }, [greeting(run)], { pollSeconds: 0.5 })
  await eventually('the job runs', () => state === 'running')
  await worker.stop()
  expect(state).toBe('ended')
  expect(lines.at(-1)).toContain('The worker has stopped')
})

test('a worker goes on when the database comes back', async () => {
  const server = await startRestartablePostgres()
  undo.push(() => server.remove())
  const db = openDatabase(server.config)
  undo.push(() => db.end({ timeout: 1 }))
  const { log, lines } = recordedLog()
  await migrate(db, await readMigrations(), { log, clock: systemClock })
  const queue = await queueOn({ db, log })
  const ran = new Set<number>()
  const worker = await startWorker({ db, log }, [greeting(async ({ id }) => void ran.add(id))], {
    pollSeconds: 0.5,
  })
  undo.push(() => worker.stop())
  const send = (id: number) => db.begin((tx) => queue.send(tx, 'greet', { id }))
  for (const round of [1, 2]) {
    await send(round)
    await eventually(`job ${round} ran`, () => ran.has(round))
    await server.stop()
    await Bun.sleep(700)
    await expect(send(100)).rejects.toThrow()
    await server.start()
    await eventually('the database takes jobs again', () =>
      send(100 + round).then(
        () => true,
        () => false,
      ),
    )
    await eventually(`job ${100 + round} ran`, () => ran.has(100 + round))
  }
  expect(lines.filter((line) => line.includes('Job queue error')).length).toBe(1)
  await server.stop()
  await worker.stop()
  expect(lines.at(-1)).toContain('The worker has stopped')
}, 60_000)

test('a worker goes on when a frozen database wakes, and stops although it is frozen', async () => {
  const server = await startRestartablePostgres()
  undo.push(() => server.remove())
  const db = openDatabase(server.config, {
    deadlines: { statementMilliseconds: 500, transactionMilliseconds: 1000 },
  })
  undo.push(() => db.end({ timeout: 1 }))
  const { log, lines } = recordedLog()
  await migrate(db, await readMigrations(), { log, clock: systemClock })
  const queue = await queueOn({ db, log })
  const ran = new Set<number>()
  const worker = await startWorker({ db, log }, [greeting(async ({ id }) => void ran.add(id))], {
    pollSeconds: 0.5,
    graceSeconds: 5,
  })
  undo.push(() => worker.stop())
  const send = (id: number) => db.begin((tx) => queue.send(tx, 'greet', { id }))
  await send(1)
  await eventually('the first job ran', () => ran.has(1))
  await server.freeze()
  await expect(send(2)).rejects.toThrow()
  await Bun.sleep(1000)
  await server.thaw()
  await eventually('the database takes jobs again', () =>
    send(3).then(
      () => true,
      () => false,
    ),
  )
  await eventually('a later job ran', () => ran.has(3), 30)
  expect(lines.filter((line) => line.includes('Job queue error')).length).toBe(1)
  await server.freeze()
  await worker.stop()
  expect(lines.at(-1)).toContain('The worker has stopped')
  await server.thaw()
}, 60_000)
