import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { systemClock } from '../../../src/platform/clock.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createMetrics } from '../../../src/platform/metrics.ts'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { migrate, readMigrations } from '../../../src/platform/postgres/migrate.ts'
import {
  createStateVersions,
  openForStateVersions,
  type StateVersions,
} from '../../../src/platform/postgres/state-version.ts'
import { eventually } from '../../support/eventually.ts'
import { type RestartablePostgres, startRestartablePostgres } from '../../support/restartable-postgres.ts'

let server: RestartablePostgres
let db: Database
let versions: StateVersions
const metrics = createMetrics()

beforeAll(async () => {
  server = await startRestartablePostgres()
  db = openDatabase(server.config)
  await migrate(db, await readMigrations(), { log: createLog('silent'), clock: systemClock })
  const deadlines = { statementMilliseconds: 1000, transactionMilliseconds: 2000 }
  versions = createStateVersions(openForStateVersions(server.config, deadlines), metrics)
}, 60_000)
afterEach(() => server.thaw())
afterAll(async () => {
  await versions.end()
  await db.end()
  await server.remove()
})

const confirmations = () => Number(/keyward_state_confirmations_total (\d+)/.exec(metrics.text())?.[1])
/** Whether the same version is confirmed twice. */
const isSteady = async () => {
  const before = await versions.confirm()
  return (await versions.confirm()) === before
}
const change = () => db`update state_version set version = gen_random_uuid()`

test('those who ask while a query is under way share the next one', async () => {
  await versions.confirm()
  const before = confirmations()
  const [first, ...others] = await Promise.all(Array.from({ length: 100 }, () => versions.confirm()))
  expect(confirmations() - before).toBe(2)
  expect(others).toEqual(Array(99).fill(first))
})

test('a change that has ended is seen by everyone who asks then', async () => {
  for (let n = 0; n < 50; n++) {
    // One that was sent before the change, and may have read the version of before.
    const earlier = versions.confirm()
    const before = await earlier
    void versions.confirm()
    await change()
    expect(await versions.confirm()).not.toBe(before)
  }
})

test('a database that is frozen has everyone wait for no longer than one statement', async () => {
  await versions.confirm()
  await server.freeze()
  const asked: Promise<number>[] = []
  for (let n = 0; n < 15; n++) {
    const start = performance.now()
    asked.push(
      versions.confirm().then(
        () => -1,
        () => performance.now() - start,
      ),
    )
    await Bun.sleep(100)
  }
  const waits = await Promise.all(asked)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...waits)).toBeLessThan(1000 + 500)
  await server.thaw()
  await eventually(
    'versions are confirmed again',
    () =>
      versions.confirm().then(
        () => true,
        () => false,
      ),
    5,
  )
}, 60_000)

test('a server that was started again, or can’t be written, has no version of before', async () => {
  const before = await versions.confirm()
  expect(await versions.confirm()).toBe(before)
  await server.stop()
  await expect(versions.confirm()).rejects.toThrow()
  await server.start()
  await eventually(
    'versions are confirmed again',
    () =>
      versions.confirm().then(
        () => true,
        () => false,
      ),
    5,
  )
  const after = await versions.confirm()
  expect(after).not.toBe(before)
  await db`alter system set default_transaction_read_only = on`
  await db`select pg_reload_conf()`
  await eventually('it is read-only', async () => (await versions.confirm()) !== after)
  expect(await isSteady()).toBe(false)
}, 60_000)

test('without its row there is no version', async () => {
  const aside = openDatabase(server.config, { max: 1 })
  await aside`set default_transaction_read_only = off`
  await aside`alter system reset default_transaction_read_only`
  await aside`select pg_reload_conf()`
  await eventually('it can be written', async () => await isSteady())
  await aside`delete from state_version`
  expect(await isSteady()).toBe(false)
  await aside`update roles set color = ''`
  expect(await isSteady()).toBe(true)
  await aside.end()
})
