import type { Context } from '../../context.ts'
import type { Mail } from '../../platform/mail/mailer.ts'
import { latestNow } from '../clock-skew.ts'
import { linkUrl } from './link.ts'
import * as queries from './queries.ts'

/** Mails the link that verifies an address, unless it is used, expired or no longer needed. */
export const sendVerification = (ctx: Context, linkId: string): Promise<void> =>
  send(ctx, linkId, 'verify-email', {
    subject: 'Verify your e-mail address',
    before: `Someone registered an account with this address on Keyward at ${ctx.config.host}.`,
    action: 'Follow this link within 24 hours to verify the address:',
    after: 'If this was not you, ignore this mail: without the link nobody can sign in to the account.',
  })

/** Mails the link that sets a new password, unless it is used or has expired. */
export const sendPasswordReset = (ctx: Context, linkId: string): Promise<void> =>
  send(ctx, linkId, 'reset-password', {
    subject: 'Set a new password',
    before: `Someone requested a new password for your account on Keyward at ${ctx.config.host}.`,
    action: 'Follow this link within an hour to set a new one:',
    after:
      'A new password ends all your sessions. Your personal access tokens keep working unless you revoke them.\n\n' +
      'If this was not you, ignore this mail: your password stays as it is.',
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
