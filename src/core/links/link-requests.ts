import type { Context } from '../../context.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { emailKey } from '../accounts/account.ts'
import * as accounts from '../accounts/accounts.ts'
import type { RequestSource } from '../actor.ts'
import { Email, StrictObject } from '../schema.ts'
import { countMailRequest } from '../sign-in/sign-in-limits.ts'
import type { Row } from '../tables.ts'
import { transaction } from '../transactions.ts'
import { createLink } from './email-links.ts'
import type { EmailLinkPurpose } from './queries.ts'

/** The body that requests a link. */
export const RequestLink = StrictObject({ email: Email() })

/** Mails a link that sets a new password, if an account has this address and there is a mail gateway. */
export const forgotPassword = (ctx: Context, email: string, source: RequestSource): Promise<void> =>
  requestLink(ctx, email, source, 'reset-password', () => true)

/** Mails another link that verifies an address, if its account needs one and there is a mail gateway. */
export const resendVerification = (ctx: Context, email: string, source: RequestSource): Promise<void> =>
  requestLink(ctx, email, source, 'verify-email', (user) => user.email_verified_at === null)

/**
 * Takes a minimum time, and for requests at once the time of one, so that the response time does not tell whether the
 * address has an account.
 */
async function requestLink(
  ctx: Context,
  email: string,
  source: RequestSource,
  purpose: EmailLinkPurpose,
  isNeeded: (user: Row<'users', 'email_verified_at'>) => boolean,
): Promise<void> {
  if (ctx.config.smtp === null) return
  await countMailRequest(ctx, source.ipAddress)
  const minimumTime = new Promise((resolve) => setTimeout(resolve, MIN_RESPONSE_MS))
  await shareWork(ctx.db, `${purpose} ${emailKey(email)}`, () =>
    transaction(ctx, async (tx) => {
      const user = await accounts.lockAccountByEmail(tx, email)
      if (user !== undefined && isNeeded(user)) await createLink(ctx, tx, user.id, purpose)
    }),
  )
  await ctx.queue.wake()
  await minimumTime
}

/** Longer than the statements of a request for a link take. */
const MIN_RESPONSE_MS = 50

const underWay = new WeakMap<Database, Map<string, Promise<void>>>()

/**
 * Does the work, unless it is under way under the same key already: then waits for that. So requests that arrive at once
 * and would wait for the same lock, one after the other, take as long as one.
 */
function shareWork(db: Database, key: string, work: () => Promise<void>): Promise<void> {
  const all = underWay.get(db) ?? new Map<string, Promise<void>>()
  underWay.set(db, all)
  const known = all.get(key)
  if (known !== undefined) return known
  const begun = work().finally(() => all.delete(key))
  all.set(key, begun)
  return begun
}
