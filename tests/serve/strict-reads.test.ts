import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { systemClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { migrate, readMigrations } from '../../src/platform/postgres/migrate.ts'
import { contextOn, type TestContext, testSecrets } from '../support/context.ts'
import { cleanUp, databaseUrl, type Keyward, ready, startKeyward } from '../support/keyward.ts'
import { type RestartablePostgres, startRestartablePostgres } from '../support/restartable-postgres.ts'
import { backendAt, cutConnections, proveStrictness } from '../support/strictness.ts'

/** By hand, for the whole proof: STRICT_READS_ROUNDS=20000. */
const ROUNDS = Number(process.env.STRICT_READS_ROUNDS ?? 60)
/** The folder of another release: two of the four backends run it. By hand, before a release. */
const BESIDE = process.env.STRICT_READS_BESIDE

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
  backends = [undefined, BESIDE, undefined, BESIDE].map((folder) =>
    startKeyward({
      args: ['backend'],
      env: {
        DATABASE_URL: databaseUrl(postgres.config),
        HOST: 'localhost',
        LOG_LEVEL: 'fatal',
        ...testSecrets,
      },
      ...(folder !== undefined && { command: [process.execPath, join(folder, 'src/main.ts')] }),
    }),
  )
  await Promise.all(backends.map(ready))
}, 60_000)
afterAll(async () => {
  await ctx?.close()
  await cleanUp()
  await postgres.remove()
}, 60_000)

const PERIOD = Math.max(40, Math.floor(ROUNDS / 50))

/** Once in each period: connections cut, a backend stopped for five seconds, the database restarted. */
async function disturb(round: number): Promise<void> {
  const at = round % PERIOD
  if (at === 10) await cutConnections(ctx.database.aside)
  if (at === 20) {
    const { child } = backends[Math.floor(round / PERIOD) % backends.length] as Keyward
    child.kill('SIGSTOP')
    setTimeout(() => child.kill('SIGCONT'), 5000)
  }
  if (at === 30) void postgres.stop().then(() => postgres.start())
}

test(
  'four processes show every answered change in each later read, while they and the database are disturbed',
  async () => {
    const report = await proveStrictness(ctx, backends.map(backendAt), ROUNDS, disturb)
    console.log(`${report.rounds} rounds, ${report.reads} reads, ${report.unavailable} unavailable`)
    expect(report).toMatchObject({ rounds: ROUNDS, stale: [] })
    expect(report.reads).toBeGreaterThan(ROUNDS)
  },
  120_000 + ROUNDS * 1000,
)
