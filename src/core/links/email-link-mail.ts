import type { Context } from '../../context.ts'
import { latestNow } from '../clock-skew.ts'
import type { Letter } from '../mail/letter.ts'
import { type Delivery, sendLetter } from '../mail/sending.ts'
import { passwordResetLetter, verificationLetter } from './email-link-letters.ts'
import { linkUrl } from './link.ts'
import * as queries from './queries.ts'

/** Mails the link that verifies an address, unless it is used, expired or no longer needed. */
export const sendVerification = (ctx: Context, linkId: string, delivery: Delivery): Promise<void> =>
  send(ctx, linkId, 'verify-email', verificationLetter, delivery)

/** Mails the link that sets a new password, unless it is used or has expired. */
export const sendPasswordReset = (ctx: Context, linkId: string, delivery: Delivery): Promise<void> =>
  send(ctx, linkId, 'reset-password', passwordResetLetter, delivery)

async function send(
  ctx: Context,
  linkId: string,
  purpose: queries.EmailLinkPurpose,
  letterOf: (link: { host: string; url: string }) => Letter,
  delivery: Delivery,
): Promise<void> {
  if (ctx.config.smtp === null) return
  const now = ctx.clock.now()
  const [link] = await queries.find(ctx.db, linkId, purpose, now, latestNow(now))
  if (link === undefined || (purpose === 'verify-email' && link.email_verified_at !== null)) return
  const letter = letterOf({ host: ctx.config.host, url: linkUrl(ctx, purpose, link) })
  await sendLetter(ctx, link.email, letter, delivery)
}
