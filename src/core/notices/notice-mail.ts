import type { Context } from '../../context.ts'
import { findAccount } from '../accounts/accounts.ts'
import { type Delivery, sendLetter } from '../mail/sending.ts'
import type { Notice } from './notice.ts'
import { noticeLetter } from './notice-letters.ts'

/** Mails a notice to the address that the account has by now; does nothing without a mail gateway. */
export async function sendNotice(
  ctx: Context,
  { userId, notice, name, byUserId }: Notice,
  delivery: Delivery,
): Promise<void> {
  if (ctx.config.smtp === null) return
  const account = await findAccount(ctx.db, userId)
  if (account === undefined) return
  const other = byUserId === undefined ? undefined : await findAccount(ctx.db, byUserId)
  const by = other === undefined ? null : { name: other.full_name, email: other.email }
  await sendLetter(ctx, account.email, noticeLetter(notice, { name, by }, ctx.config.host), delivery)
}
