import { afterAll, beforeAll, expect, test } from 'bun:test'
import { systemClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { migrate, readMigrations } from '../../src/platform/postgres/migrate.ts'
import { contextOn, type TestContext, testSecrets } from '../support/context.ts'
import { cleanUp, databaseUrl, type Keyward, ready } from '../support/keyward.ts'
import { type RestartablePostgres, startRestartablePostgres } from '../support/restartable-postgres.ts'
import { RUNTIMES, startBackend } from '../support/runtimes.ts'
import { backendAt, cutConnections, proveStrictness } from '../support/strictness.ts'

const ROUNDS = 20

let postgres: RestartablePostgres
let ctx: TestContext
let backends: Keyward[]

beforeAll(async () => {
  postgres = await startRestartablePostgres()
  const db = openDatabase(postgres.config)
  const aside = openDatabase(postgres.config, { max: 1 })
  await migrate(db, await readMigrations(), { log: createLog('silent'), clock: systemClock })
  const drop = async () => {
    await Promise.all([db.end({ timeout: 1 }), aside.end({ timeout: 1 })])
  }
  ctx = await contextOn({ db, aside, config: postgres.config, drop }, {}, new Date())
  const env = { DATABASE_URL: databaseUrl(postgres.config), LOG_LEVEL: 'fatal', ...testSecrets }
  backends = await Promise.all(RUNTIMES.map((runtime) => startBackend(runtime, env)))
  await Promise.all(backends.map(ready))
}, 90_000)
afterAll(async () => {
  await ctx?.close()
  await cleanUp()
  await postgres.remove()
}, 60_000)

/** Twice each: connections cut, and the database restarted under load. */
async function disturb(round: number): Promise<void> {
  if (round % 10 === 3) await cutConnections(ctx.database.aside)
  if (round % 10 === 6) void postgres.stop().then(() => postgres.start())
}

test('Bun, Deno and workerd on one database show every answered change in each later read, also after it was restarted', async () => {
  const report = await proveStrictness(ctx, backends.map(backendAt), ROUNDS, disturb)
  expect(report).toMatchObject({ rounds: ROUNDS, stale: [] })
  expect(report.reads).toBeGreaterThan(ROUNDS)
  for (const { child } of backends) expect(child.exitCode).toBeNull()
  await Promise.all(backends.map(ready))
}, 180_000)
