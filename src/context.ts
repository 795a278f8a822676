import type { Config } from './config.ts'
import { createRepeatCounts, type RepeatCounts } from './core/audit/repeat-counts.ts'
import { QUEUED_JOBS, type QueuedJob } from './core/jobs.ts'
import { createServerKeys, type ServerKeys } from './core/keys/server-keys.ts'
import { createFullWindows, type FullWindows } from './core/sign-in/full-windows.ts'
import { type Afterwards, createAfterwards } from './platform/afterwards.ts'
import { createBlockingTurns, type WaitToBlock } from './platform/blocking-turns.ts'
import type { Clock } from './platform/clock.ts'
import type { Kv } from './platform/kv/kv.ts'
import { openKv } from './platform/kv/open.ts'
import type { FairLimiter } from './platform/limiter.ts'
import type { Log } from './platform/log.ts'
import { createMailer, type Mailer } from './platform/mail/mailer.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { createPasswords, type Passwords } from './platform/passwords.ts'
import { type Database, type DatabaseConfig, openDatabase } from './platform/postgres/database.ts'
import {
  type ChangeLimiter,
  createChangeLimiter,
  createDeviceLimiter,
  createLargeReadLimiter,
  createPublicLimiter,
  createReadLimiter,
  createRekeyLimiter,
  createScanLimiter,
  createSideWriteLimiter,
} from './platform/postgres/limiters.ts'
import { createLookUps, type LookUps } from './platform/postgres/look-ups.ts'
import { createStateVersions, openForStateVersions } from './platform/postgres/state-version.ts'
import { createQueue, type Queue } from './platform/queue/queue.ts'
import { createReadMemory, type ReadMemory } from './platform/read-memory.ts'
import type { Ports } from './platform/runtime.ts'
import { createSendingTurns, type WaitToSend } from './platform/sending-turns.ts'
import type { SsoProvider } from './platform/sso/provider.ts'
import { createProviders } from './platform/sso/providers.ts'
import { createUnreadAnswers, type UnreadAnswers } from './platform/unread-answers.ts'

/** Everything that a use case works with: its first parameter. */
export type Context = Readonly<{
  config: Config
  db: Database
  /** Limits how many transactions wait for locks at once. */
  limitChanges: ChangeLimiter
  lookUps: LookUps
  /** Limits each site's requests that need no credentials. */
  limitPublic: FairLimiter
  /** Limits requests without credentials of each browser on which a member has signed in before. */
  limitDevices: FairLimiter
  /** Limits each caller's reads, and its changes that lock no organisation. Never entered within one of the others. */
  limitReads: FairLimiter
  /** Limits reads that look through much of the database. Entered before `limitReads`. */
  limitScans: FairLimiter
  /** Waits for a caller's turn to block the event loop. */
  waitToBlock: WaitToBlock
  /** Waits for a caller's turn to send a piece of a large answer. */
  waitToSend: WaitToSend
  /** Limits the large answers that are made at once, by the memory that it takes. */
  limitLargeReads: FairLimiter
  /** Limits renewals of environments' keys, which take long: one at a time in this process, callers in turn. */
  limitRekeys: FairLimiter
  /** Limits the writes that no response depends on. */
  limitSideWrites: FairLimiter
  /** The large answers that callers have not read yet. */
  unread: UnreadAnswers
  /** What reads have loaded; null where nothing is remembered. */
  memory: ReadMemory | null
  /** The windows of counted attempts that are known to be beyond their limits. */
  fullWindows: FullWindows
  /** Counts what happens too often for an audit entry each time. */
  repeats: RepeatCounts
  kv: Kv
  queue: Queue<QueuedJob>
  mailer: Mailer
  clock: Clock
  keys: ServerKeys
  passwords: Passwords
  /** The providers of single sign-on, in the order of the configuration. */
  sso: readonly SsoProvider[]
  log: Log
  /** Lets work go on that no answer waits for. The stores stay open for it; it handles its own errors. */
  afterwards: Afterwards['add']
  metrics: Metrics
  /** The newest migration that this program knows: the database's schema must be at least there. */
  schemaVersion: number
}>

/** What lasts, however connections come and go. */
export type Lasting = Pick<
  Context,
  'config' | 'clock' | 'fullWindows' | 'keys' | 'log' | 'metrics' | 'schemaVersion' | 'unread'
>

/** What has connections, timers or callers that wait: on a runtime where these belong to a request, made for each. */
export type Connected = Omit<Context, keyof Lasting | 'memory' | 'queue'>

/** The production context. Connects lazily; `close` waits for the work after answers, and ends all connections. */
export function createContext(
  config: Config,
  database: DatabaseConfig,
  schemaVersion: number,
  ports: Ports,
): Context & { close(): Promise<void> } {
  const lasting = createLasting(config, schemaVersion, ports)
  const connected = connect(lasting, ports, openDatabase(database, { deadlines: config.deadlines }))
  const { db, kv } = connected
  const queue = createQueue({ db, log: lasting.log, kv }, QUEUED_JOBS)
  const memory = openReadMemory(config, database, lasting.metrics)
  return {
    ...lasting,
    ...connected,
    queue,
    memory,
    close: async () => {
      await connected.settle()
      await queue.stop()
      await memory?.end()
      await connected.close()
    },
  }
}

/** What lasts as long as the program. */
export const createLasting = (config: Config, schemaVersion: number, ports: Ports): Lasting => ({
  config,
  clock: ports.clock,
  log: ports.createLog(config.logLevel),
  keys: createServerKeys(config.serverSecret),
  metrics: createMetrics(),
  schemaVersion,
  unread: createUnreadAnswers(),
  fullWindows: createFullWindows(),
})

/**
 * What belongs to a pool of connections. `settle` waits for the work after answers, and writes what was counted; `close`
 * ends all connections, those of the pool too.
 */
export function connect(
  { config, clock, log }: Lasting,
  { argon2id, openRedis }: Ports,
  db: Database,
): Connected & { settle(): Promise<void>; close(): Promise<void> } {
  const afterwards = createAfterwards(log)
  const repeats = createRepeatCounts({ db, log })
  const mailer = createMailer(config.smtp)
  const kv = openKv(config.kv, clock, log, { openRedis })
  return {
    db,
    limitChanges: createChangeLimiter(db),
    lookUps: createLookUps(db),
    limitPublic: createPublicLimiter(db),
    limitDevices: createDeviceLimiter(db),
    limitReads: createReadLimiter(db),
    limitScans: createScanLimiter(db),
    limitRekeys: createRekeyLimiter(),
    limitLargeReads: createLargeReadLimiter(),
    waitToBlock: createBlockingTurns(),
    waitToSend: createSendingTurns(),
    limitSideWrites: createSideWriteLimiter(db),
    repeats,
    kv,
    mailer,
    passwords: createPasswords({ argon2id }),
    sso: createProviders(config.sso, clock, { log }),
    afterwards: afterwards.add,
    settle: async () => {
      await afterwards.settled()
      await repeats.stop()
    },
    close: async () => {
      await mailer.close()
      await kv.close()
      await db.end({ timeout: 5 })
    },
  }
}

/** The memory of reads, with connections of its own; null where it is switched off. */
export function openReadMemory(
  { cacheMegabytes, deadlines }: Pick<Config, 'cacheMegabytes' | 'deadlines'>,
  database: DatabaseConfig,
  metrics: Metrics,
): ReadMemory | null {
  if (cacheMegabytes === 0) return null
  const versions = createStateVersions(openForStateVersions(database, deadlines), metrics)
  return createReadMemory(versions, { maxBytes: cacheMegabytes * 1024 * 1024, metrics })
}
