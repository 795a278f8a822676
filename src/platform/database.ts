import postgres from 'postgres'
import { createGate, type Gate } from './gate.ts'

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
export type Database = postgres.Sql

/** Whatever can send statements: the pool, or a transaction on one of its connections. */
export type Queryable = postgres.Sql | postgres.TransactionSql

/** One transaction. */
export type Transaction = postgres.TransactionSql

export type DatabaseOptions = {
  /** How many connections; 10 unless told. */
  max?: number
  /** How long a statement waits for a lock at most; 5 s unless told, and 0 for as long as it takes. */
  lockMilliseconds?: number
}

/**
 * Opens a pool. Connections are made on first use, so this never fails and never waits.
 * Statements are ended by the server after 30 s; a server that is gone is retried within a second. Transactions that
 * send nothing for 15 s are ended too: a process that was stopped within one would hold its locks for ever.
 */
export function openDatabase(config: DatabaseConfig, options: DatabaseOptions = {}): Database {
  return postgres({
    // As lists: a single text would be cut at the colons of an IPv6 address.
    host: (config.host.startsWith('/') ? config.host : [config.host]) as string,
    port: [config.port] as unknown as number,
    database: config.database,
    username: config.username,
    // As a function: an empty text would let PGPASSWORD in.
    password: () => config.password,
    ssl: sslOptions(config),
    max: options.max ?? 10,
    connect_timeout: 5,
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, 1),
    connection: {
      application_name: 'keyward',
      statement_timeout: 30_000,
      lock_timeout: options.lockMilliseconds ?? 5000,
      idle_in_transaction_session_timeout: 15_000,
    },
    onnotice: () => {},
  })
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

/**
 * The gate of the transactions that wait for an organisation's lock: half of the pool's connections, so that the
 * others can always read. Up to 200 wait, each for 4 s: less than for a lock, so that those who arrived together are
 * refused rather than wait for the same lock once more. `Busy` for whoever cannot wait.
 */
export const gateOfChanges = (db: Database): Gate =>
  createGate({
    concurrency: Math.max(1, Math.floor(db.options.max / 2)),
    queue: 200,
    waitMilliseconds: 4000,
  })

const UNAVAILABLE = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
])

/** Whether an error says that the database cannot be reached at the moment, rather than that a statement was wrong. */
export function isUnavailable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && (UNAVAILABLE.has(code) || code.startsWith('08'))
}

// query_canceled, lock_not_available, idle_in_transaction_session_timeout, deadlock_detected, serialization_failure
const BUSY = new Set(['57014', '55P03', '25P03', '40P01', '40001'])

/** Whether an error says that the database gave up a statement for what others do, so that it may succeed later. */
export function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && BUSY.has(code)
}
