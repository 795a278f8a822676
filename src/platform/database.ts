import postgres from 'postgres'

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

/**
 * Opens a pool. Connections are made on first use, so this never fails and never waits.
 * Statements are ended by the server after 30 s; a server that is gone is retried within a second.
 */
export function openDatabase(config: DatabaseConfig, options: { max?: number } = {}): Database {
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
    connection: { application_name: 'keyward', statement_timeout: 30_000 },
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
