import { createHash, randomUUID } from 'node:crypto'
import { type Config, readConfig } from '../../src/config.ts'
import { type Context, openReadMemory } from '../../src/context.ts'
import { createRepeatCounts } from '../../src/core/audit/repeat-counts.ts'
import { QUEUED_JOBS, type QueuedJob } from '../../src/core/jobs.ts'
import { createServerKeys } from '../../src/core/keys/server-keys.ts'
import { createFullWindows } from '../../src/core/sign-in/full-windows.ts'
import { createAfterwards } from '../../src/platform/afterwards.ts'
import { bunArgon2id } from '../../src/platform/argon2id-bun.ts'
import { createBlockingTurns } from '../../src/platform/blocking-turns.ts'
import { type Clock, fakeClock } from '../../src/platform/clock.ts'
import { openKv } from '../../src/platform/kv/open.ts'
import { openRedisKv } from '../../src/platform/kv/redis.ts'
import { createLog } from '../../src/platform/log.ts'
import { memoryMailer } from '../../src/platform/mail/mailer.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { createPasswords } from '../../src/platform/passwords.ts'
import {
  createChangeLimiter,
  createDeviceLimiter,
  createLargeReadLimiter,
  createPublicLimiter,
  createReadLimiter,
  createRekeyLimiter,
  createScanLimiter,
  createSideWriteLimiter,
} from '../../src/platform/postgres/limiters.ts'
import { createLookUps } from '../../src/platform/postgres/look-ups.ts'
import { readMigrations } from '../../src/platform/postgres/migrate.ts'
import { createQueue, type Queue, type QueueContext } from '../../src/platform/queue/queue.ts'
import { createSendingTurns } from '../../src/platform/sending-turns.ts'
import { createProviders } from '../../src/platform/sso/providers.ts'
import { createUnreadAnswers } from '../../src/platform/unread-answers.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { endRemotes } from './remote.ts'

const hex = (name: string) => createHash('sha256').update(name).digest('hex')

/** The secrets of every test's configuration: a process that is given them opens what a test has wrapped. */
export const testSecrets = { SECRET_KEY: hex('SECRET_KEY'), SERVER_SECRET: hex('SERVER_SECRET') }

/** A configuration of a backend on localhost. */
export const testConfig = (environment: Record<string, string> = {}): Config =>
  readConfig('backend', {
    DATABASE_HOST: '127.0.0.1',
    DATABASE_NAME: 'keyward',
    DATABASE_USER: 'keyward',
    DATABASE_PASSWORD: 'unused',
    HOST: 'localhost',
    LOG_LEVEL: 'error',
    ...testSecrets,
    ...environment,
  })

export type TestContext = Context & {
  clock: Clock & { advance(seconds: number): void }
  database: TestDatabase
  mailer: ReturnType<typeof memoryMailer>
  close(): Promise<void>
}

/**
 * A context on a fresh database, with a clock that stands still, cheap passwords and a mailer that keeps its mails.
 * Closing it fails when jobs are left in the queue. `start` is for what has a clock of its own, such as an identity
 * provider.
 */
export const testContext = async (
  environment: Record<string, string> = {},
  start?: Date,
): Promise<TestContext> => await contextOn(await testDatabase(), environment, start)

/** The same on a database that is there, which closing drops. */
export async function contextOn(
  database: TestDatabase,
  environment: Record<string, string> = {},
  start?: Date,
): Promise<TestContext> {
  const config = testConfig(environment)
  const clock = fakeClock(start)
  const log = createLog(config.logLevel)
  const kv = openKv(config.kv, clock, log, { openRedis: openRedisKv })
  const metrics = createMetrics()
  const memory = openReadMemory(config, database.config, metrics)
  const repeats = createRepeatCounts({ db: database.db, log })
  const afterwards = createAfterwards(log)
  const queue = lazyQueue({ db: database.db, log, kv })
  return {
    config,
    db: database.db,
    limitChanges: createChangeLimiter(database.db),
    lookUps: createLookUps(database.db),
    limitPublic: createPublicLimiter(database.db),
    limitDevices: createDeviceLimiter(database.db),
    limitReads: createReadLimiter(database.db),
    limitScans: createScanLimiter(database.db),
    limitRekeys: createRekeyLimiter(),
    limitLargeReads: createLargeReadLimiter(),
    waitToBlock: createBlockingTurns(),
    waitToSend: createSendingTurns(),
    limitSideWrites: createSideWriteLimiter(database.db),
    unread: createUnreadAnswers(),
    fullWindows: createFullWindows(),
    memory,
    repeats,
    kv,
    queue,
    mailer: memoryMailer(),
    clock,
    log,
    afterwards: afterwards.add,
    metrics,
    schemaVersion: Math.max(...(await readMigrations()).map((migration) => migration.version)),
    keys: createServerKeys(config.serverSecret),
    passwords: createPasswords({ argon2id: bunArgon2id, memoryCost: 8, timeCost: 1 }),
    sso: createProviders(config.sso, clock, { log, stepMilliseconds: 3000 }),
    database,
    close: async () => {
      await endRemotes(database)
      await afterwards.settled()
      await repeats.stop()
      const left =
        await database.db`select name from pgboss.job where state <> 'completed' and not starts_with(name, '__')`
      await queue.stop()
      await kv.close()
      await memory?.end()
      await database.drop()
      if (left.length > 0) throw new Error(`jobs are left in the queue: ${left.map(({ name }) => name)}`)
    },
  }
}

/** The real queue, started by the first job: most tests send none. */
function lazyQueue(ctx: QueueContext): Queue<QueuedJob> {
  const queue = createQueue(ctx, QUEUED_JOBS)
  let started: Promise<void> | null = null
  return {
    start: async () => {
      started ??= queue.start()
      await started
    },
    send: async (...job) => {
      started ??= queue.start()
      await started
      await queue.send(...job)
    },
    wake: () => queue.wake(),
    stop: async () => {
      if (started !== null) await queue.stop()
    },
  }
}

export const uniqueName = (what: string) => `${what} ${randomUUID().slice(0, 8)}`
