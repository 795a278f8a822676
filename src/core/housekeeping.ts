import type { Context } from '../context.ts'
import { COALESCING_SECONDS } from './audit/coalescing.ts'
import { removeOldEntries } from './audit/retention.ts'
import { removeAllLeftovers } from './secrets/leftovers.ts'
import { removeOldVersions } from './secrets/retention.ts'
import { SESSION_IDLE_SECONDS } from './sessions/lifetime.ts'
import { MOST_EXPIRED_TOKENS } from './tokens/token.ts'
import { patientTransaction } from './transactions.ts'

/**
 * Deletes expired tokens, sessions, session tokens, links, states, tickets, challenges and counters of sign-ins; closes
 * expired invites. Expired rows are already refused everywhere: this only frees space, and may run several times at once.
 * Locked rows are skipped, which avoids deadlocks. Tokens go a week after they expired, or once their principal has 100
 * newer expired ones. Deletes audit entries and versions of secrets that are older than they are to be kept, and what
 * deleted environments have left.
 */
export async function removeExpired(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  const patiently = patientStatements(ctx)
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  await patiently`
    delete from tokens where id in (
      select id from tokens where expires_at <= ${before(EXPIRED_TOKEN_SECONDS)} for update skip locked
    )`
  // A new token removes them, too: these are of principals that create none, left by releases that kept them all.
  await patiently`
    delete from tokens where id in (
      select id from tokens where id in (
        select id from (
          select id, row_number() over (partition by principal_id order by created_at desc, id desc) as place
          from tokens where expires_at <= ${now}
        ) expired
        where place > ${MOST_EXPIRED_TOKENS} limit ${MOST_SURPLUS_TOKENS}
      ) for update skip locked
    )`
  await patiently`
    delete from session_tokens where hash in (
      select hash from session_tokens where expires_at <= ${now} for update skip locked
    )`
  await patiently`
    delete from sessions where id in (
      select id from sessions
      where expires_at <= ${now} or last_used_at <= ${before(SESSION_IDLE_SECONDS)} for update skip locked
    )`
  await patiently`delete from email_links where expires_at <= ${now}`
  await patiently`delete from sso_used_states where expires_at <= ${now}`
  await patiently`
    delete from second_factor_tickets where hash in (
      select hash from second_factor_tickets where expires_at <= ${now} for update skip locked
    )`
  await patiently`delete from used_challenges where expires_at <= ${now}`
  await patiently`
    delete from sign_in_attempts where (key, window_start) in (
      select key, window_start from sign_in_attempts where expires_at <= ${now} for update skip locked
    )`
  await patiently`
    update invites set state = 'expired', closed_at = ${now}, role_id = null, role_kind = null
    where id in (
      select id from invites where state = 'pending' and expires_at <= ${now} for update skip locked
    )`
  await patiently`
    update audit_entries set coalesce_key = null where id in (
      select id from audit_entries
      where coalesce_key is not null and timestamp <= ${before(COALESCING_SECONDS)} for update skip locked
    )`
  await removeOldEntries(ctx)
  await removeOldVersions(ctx)
  await removeAllLeftovers(ctx)
}

/** So that people can be told of it. */
const EXPIRED_TOKEN_SECONDS = 7 * 24 * 3600

/** How many surplus tokens one run deletes, so that it ends in time. */
const MOST_SURPLUS_TOKENS = 200_000

/** Sends each statement in a separate transaction, so that locks are held for a short time. */
const patientStatements =
  (ctx: Context) =>
  (text: TemplateStringsArray, ...values: (Date | number)[]): Promise<void> =>
    patientTransaction(ctx, async (tx) => {
      await tx(text, ...values)
    })
