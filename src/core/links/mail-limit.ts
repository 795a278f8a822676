import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { count, counterWindow } from '../sign-in/sign-in-limits.ts'
import type { EmailLinkPurpose } from './queries.ts'

/** So many mails with a link for one purpose may go to one account in a day, whoever asks for them. */
const PER_ACCOUNT: RateLimit = { limit: 10, windowSeconds: 24 * 3600 }

/** Counts the mail of a link that is about to be queued; undone when the transaction fails. False beyond the limit of a day. */
export async function countLinkMail(
  ctx: Context,
  tx: Transaction,
  userId: string,
  purpose: EmailLinkPurpose,
): Promise<boolean> {
  const now = ctx.clock.now().getTime()
  return (
    (await count(ctx, [counterWindow(ctx, PER_ACCOUNT, now, ['link mail', purpose, userId])], tx)) === null
  )
}
