import type { Context } from '../../context.ts'
import type { Mail } from '../../platform/mail/mailer.ts'
import { latestNow } from '../clock-skew.ts'
import { linkUrl } from './link.ts'
import * as queries from './queries.ts'

/** Mails the link that proves an address, unless it is used, expired or not needed by now. */
export const sendVerification = (ctx: Context, linkId: string): Promise<void> =>
  send(ctx, linkId, 'verify-email', {
    subject: 'Verify your e-mail address',
    before: `Somebody, hopefully you, registered an account with this address on Keyward at ${ctx.config.host}.`,
    action: 'Follow this link within 24 hours to verify the address:',
    after:
      'If it was not you, there is nothing that you need to do: without the link the account stays closed.',
  })

/** Mails the link that sets a new password, unless it is used or expired by now. */
export const sendPasswordReset = (ctx: Context, linkId: string): Promise<void> =>
  send(ctx, linkId, 'reset-password', {
    subject: 'Set a new password',
    before: `Somebody, hopefully you, forgot the password of your account on Keyward at ${ctx.config.host}.`,
    action: 'Follow this link within an hour to set a new one:',
    after:
      'A new password ends all your sessions. Your personal access tokens keep working unless you revoke them.\n\n' +
      'If it was not you, there is nothing that you need to do: your password stays as it is.',
  })

type Wording = Readonly<{ subject: string; before: string; action: string; after: string }>

async function send(
  ctx: Context,
  linkId: string,
  purpose: queries.EmailLinkPurpose,
  { subject, before, action, after }: Wording,
): Promise<void> {
  if (ctx.config.smtp === null) return
  const now = ctx.clock.now()
  const [link] = await queries.find(ctx.db, linkId, purpose, now, latestNow(now))
  if (link === undefined || (purpose === 'verify-email' && link.email_verified_at !== null)) return
  const text = [before, action, linkUrl(ctx, purpose, link), after].join('\n\n')
  const mail: Mail = { to: link.email, subject, text }
  await ctx.mailer.send(mail)
}
