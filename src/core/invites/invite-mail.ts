import type { Context } from '../../context.ts'
import { linkUrl } from '../links/link.ts'
import * as queries from './queries.ts'

/** Mails an invite's link to the invited address; does nothing once the invite is closed or expired, or without a mail gateway. */
export async function send(ctx: Context, inviteId: string): Promise<void> {
  if (ctx.config.smtp === null) return
  const [invite] = await queries.findDetails(ctx.db, inviteId, ctx.clock.now())
  if (invite === undefined) return
  await ctx.mailer.send({
    to: invite.email,
    subject: `Join ${invite.organisation_name} on Keyward`,
    text: [
      `You are invited to join ${invite.organisation_name} on Keyward at ${ctx.config.host}.`,
      'Follow this link to accept; it is valid for 14 days and for this address only:',
      linkUrl(ctx, 'invite', invite),
      'If you did not expect this, ignore this mail.',
    ].join('\n\n'),
  })
}
