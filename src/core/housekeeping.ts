import type { Context } from '../context.ts'
import type { Transaction } from '../platform/postgres/database.ts'
import { COALESCING_SECONDS } from './audit/coalescing.ts'
import { oldEntries } from './audit/retention.ts'
import * as queries from './housekeeping-queries.ts'
import { doInParts, type Part } from './parts.ts'
import { leftovers } from './secrets/leftovers.ts'
import { oldVersions } from './secrets/retention.ts'
import { SESSION_IDLE_SECONDS, SESSION_SECONDS } from './sessions/lifetime.ts'
import { MOST_EXPIRED_TOKENS } from './tokens/token.ts'
import { patientTransaction } from './transactions.ts'

/** What is of no use from the moment it expires. */
export const EXPIRING = [
  'sign_in_attempts',
  'session_tokens',
  'second_factor_tickets',
  'used_challenges',
  'sso_used_states',
  'email_links',
] as const

/**
 * Deletes expired invites, tokens, sessions, session tokens, links, states, tickets, challenges and counters of sign-ins.
 * Expired rows are already refused everywhere: this only frees space, and may run several times at once.
 * Locked rows are skipped, which avoids deadlocks. Tokens go a week after they expired, or once their principal has 100
 * newer expired ones. Deletes audit entries and versions of secrets that are older than they are to be kept, and what
 * deleted environments have left. Works in parts, however much is due; throws at the end when one kind has failed.
 */
export async function removeExpired(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const idle = {
    expiresBefore: before(SESSION_IDLE_SECONDS - SESSION_SECONDS),
    unusedSince: before(SESSION_IDLE_SECONDS),
  }
  const part = partsOf(ctx)
  await doInParts([
    ...EXPIRING.map((table) => part((tx, rows) => queries.removeExpired(tx, table, now, rows))),
    part((tx, rows) => queries.removeSessions(tx, now, idle, rows)),
    part((tx, rows) => queries.removeExpired(tx, 'tokens', before(EXPIRED_TOKEN_SECONDS), rows)),
    // A new token removes them, too: these are of principals that create none, left by releases that kept them all.
    part(
      (tx, rows) => queries.removeSurplusTokens(tx, now, MOST_EXPIRED_TOKENS, rows),
      SURPLUS_TOKENS_AT_ONCE,
    ),
    part((tx, rows) => queries.removeInvites(tx, now, rows)),
    part((tx, rows) => queries.endCoalescing(tx, before(COALESCING_SECONDS), rows), ENTRIES_AT_ONCE),
    oldEntries(ctx),
    ...oldVersions(ctx),
    leftovers(ctx),
  ])
}

/** So that people can be told of it. */
const EXPIRED_TOKEN_SECONDS = 7 * 24 * 3600

/** So many rows take a part of a second: locks are held for a short time. */
const ROWS_AT_ONCE = 10_000

/** Each is in many indexes. */
const ENTRIES_AT_ONCE = 2000

/** All expired tokens are looked through each time. */
const SURPLUS_TOKENS_AT_ONCE = 100_000

/** A part is followed by another where it found as many rows as it could take. */
const partsOf =
  (ctx: Context) =>
  (work: (tx: Transaction, rows: number) => Promise<number>, rows = ROWS_AT_ONCE): Part =>
  async () =>
    (await patientTransaction(ctx, (tx) => work(tx, rows))) === rows
