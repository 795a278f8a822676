import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { lockAccount } from '../accounts/accounts.ts'
import { wakeNotices } from '../notices/notices.ts'
import type { SignedInUser } from '../sessions/session.ts'
import * as sessions from '../sessions/sessions.ts'
import { beforeChange, ownTransaction } from '../transactions.ts'
import { countWithin } from './sign-in-limits.ts'

/** Each change sends a mail: without a limit, one account could keep the mail gateway busy for everybody. */
const PER_ACCOUNT: RateLimit = { limit: 60, windowSeconds: 3600 }
const TOO_MANY = 'Too many changes to how you sign in. Try again later.'

/** Counts a change of an account's own ways to sign in. 429 beyond 60 an hour, which RATE_LIMIT_AUTH does not switch off. */
export const countOwnChange = (ctx: Context, caller: SignedInUser): Promise<void> =>
  beforeChange(ctx, caller, () => countWithin(ctx, PER_ACCOUNT, ['own change', caller.userId], TOO_MANY))

/**
 * A change of the caller's own ways to sign in: one transaction that locks the account, so that such changes and sign-ins
 * come one after the other. 401 when the session has ended meanwhile: whoever lost it can't add a way in. 429 beyond 60
 * an hour, which RATE_LIMIT_AUTH does not switch off.
 */
export async function changeOwnSignIn<T>(
  ctx: Context,
  caller: SignedInUser,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  await countOwnChange(ctx, caller)
  const result = await ownTransaction(ctx, caller, async (tx) => {
    await lockAccount(tx, caller.userId)
    await sessions.hold(tx, caller)
    return work(tx)
  })
  await wakeNotices(ctx)
  return result
}
