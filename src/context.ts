import type { Config } from './config.ts'
import type { SentJob } from './core/jobs.ts'
import type { ServerKeys } from './core/keys/server-keys.ts'
import type { Clock } from './platform/clock.ts'
import type { Database } from './platform/database.ts'
import type { Kv } from './platform/kv.ts'
import type { Log } from './platform/log.ts'
import type { Mailer } from './platform/mailer.ts'
import type { Metrics } from './platform/metrics.ts'
import type { Passwords } from './platform/passwords.ts'
import type { Queue } from './platform/queue.ts'

/** Everything a use case may reach: the first parameter of each, and nothing is ambient beside it. */
export type Context = Readonly<{
  config: Config
  db: Database
  kv: Kv
  queue: Queue<SentJob>
  mailer: Mailer
  clock: Clock
  keys: ServerKeys
  passwords: Passwords
  log: Log
  metrics: Metrics
  /** The newest migration that this program knows: the database's schema must be at least there. */
  schemaVersion: number
}>
