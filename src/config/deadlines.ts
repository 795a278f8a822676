import type { Deadlines } from '../platform/postgres/deadlines.ts'
import type { PlainName, Settings } from './settings.ts'

/** How long the database, embedded or external, is waited for. */
export function readDeadlines(settings: Settings): Deadlines {
  // Together less than the minute after which the HTTP server closes a silent connection: a change begins with a read.
  const limits = { minimum: 1, maximum: 25 }
  const seconds = (name: PlainName, otherwise: number) => settings.integer(name, limits) ?? otherwise
  return {
    statementMilliseconds: seconds('DATABASE_READ_TIMEOUT_SECONDS', 5) * 1000,
    transactionMilliseconds: seconds('DATABASE_CHANGE_TIMEOUT_SECONDS', 10) * 1000,
  }
}
