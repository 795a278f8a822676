import type postgres from 'postgres'
import { type DeadlineKeeper, type Deadlines, keepDeadlines } from './deadlines.ts'
import driver from './driver/index.js'
import { type Outage, outageOf } from './outages.ts'

/** Where Postgres is and how to enter it; `ssl` follows libpq's `sslmode`. */
export type DatabaseConfig = Readonly<{
  host: string
  port: number
  database: string
  username: string
  password: string
  ssl: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'
  sslCa: string | null
}>

/** A pool of connections: a tagged template that sends one statement. */
export type Database = postgres.Sql & DeadlineKeeper

/** What can send statements: the pool, or a transaction on one of its connections. */
export type Queryable = postgres.Sql | postgres.TransactionSql

/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** One transaction. */
export type Transaction = postgres.TransactionSql

export type DatabaseOptions = {
  /** How many connections; 10 unless told. */
  max?: number
  /** How long the server may take to accept a connection; 5 s unless told. */
  connectSeconds?: number
  /** How long a statement waits for a lock at most; 5 s unless told, and 0 for as long as it takes. */
  lockMilliseconds?: number
  /** How long statements and transactions may take; 5 s and 10 s unless told, and null for no deadline of ours. */
  deadlines?: Deadlines | null
}

const DEADLINES: Deadlines = { statementMilliseconds: 5000, transactionMilliseconds: 10_000 }

/**
 * Opens a pool. Connections are made on first use, so this never fails and never waits.
 * Whatever has no answer by its deadline is rejected and loses its connection; the server ends the statement by itself
 * then, or after 30 s where there is no deadline. A server that is gone is retried within a second. Transactions that
 * send nothing for 15 s are ended too: a process that was stopped within one would hold its locks for ever.
 */
export function openDatabase(config: DatabaseConfig, options: DatabaseOptions = {}): Database {
  const deadlines = options.deadlines === undefined ? DEADLINES : options.deadlines
  const pool = driver({
    // Arrays: the driver splits a string at the colons of an IPv6 address.
    host: (config.host.startsWith('/') ? config.host : [config.host]) as string,
    port: [config.port] as unknown as number,
    database: config.database,
    username: config.username,
    // A function: with an empty string the driver would use PGPASSWORD.
    password: () => config.password,
    ssl: sslOptions(config),
    max: options.max ?? 10,
    connect_timeout: options.connectSeconds ?? 5,
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, 1),
    connection: {
      application_name: 'keyward',
      // As times are read below. In other zones, those of long ago have offsets that `Date` can't read.
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      // What nobody waits for any more must not go on: its connection is free for the next, its session is not.
      statement_timeout: deadlines === null ? 30_000 : longest(deadlines),
      lock_timeout: options.lockMilliseconds ?? 5000,
      idle_in_transaction_session_timeout: 15_000,
    },
    types: { date: TIMES },
    onnotice: () => {},
  })
  return keepDeadlines(pool, deadlines ?? ENDLESS, (error) => remember(pool, error))
}

/**
 * As the driver has it, but read as ISO 8601, which PostgreSQL's text is not: `Date` takes the years 1 to 99 for later ones,
 * or for none.
 */
const TIMES = {
  to: 1184,
  from: [1082, 1114, 1184],
  serialize: (time: Date | string) => new Date(time).toISOString(),
  parse: (text: string) =>
    new Date(text.endsWith('+00') ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : text),
}

const ENDLESS: Deadlines = { statementMilliseconds: Infinity, transactionMilliseconds: Infinity }

const longest = (deadlines: Deadlines): number =>
  Math.max(deadlines.statementMilliseconds, deadlines.transactionMilliseconds)

/**
 * The outage that changes have met within the last 10 s although the database can be read: a full disk, or storage that
 * fails. No look finds these: they show at some writes only.
 */
export function recentOutage(db: Database): Outage | null {
  const found = met.get(db)
  return found !== undefined && performance.now() < found.until ? found.outage : null
}

const REMEMBERED_MILLISECONDS = 10_000
const met = new WeakMap<postgres.Sql, { outage: Outage; until: number }>()

function remember(db: postgres.Sql, error: unknown): void {
  const outage = outageOf(error)
  if (outage !== 'disk-full' && outage !== 'storage') return
  met.set(db, { outage, until: performance.now() + REMEMBERED_MILLISECONDS })
}

function sslOptions(config: DatabaseConfig) {
  switch (config.ssl) {
    case 'disable':
      return false
    case 'prefer':
      return 'prefer'
    case 'require':
      return { rejectUnauthorized: false }
    case 'verify-ca':
      return { ca: config.sslCa ?? undefined, checkServerIdentity: () => undefined }
    case 'verify-full':
      return { ca: config.sslCa ?? undefined }
  }
}
