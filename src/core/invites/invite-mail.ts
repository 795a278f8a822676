import type { Context } from '../../context.ts'
import { linkUrl } from '../links/link.ts'
import * as queries from './queries.ts'

/** Mails an invite's link to whom it invites, unless the invite is over by now or there is no mail gateway any more. */
export async function send(ctx: Context, inviteId: string): Promise<void> {
  if (ctx.config.smtp === null) return
  const [offer] = await queries.findDetails(ctx.db, inviteId, ctx.clock.now())
  if (offer === undefined) return
  await ctx.mailer.send({
    to: offer.email,
    subject: `Join ${offer.organisation_name} on Keyward`,
    text: [
      `You are invited to join ${offer.organisation_name} on Keyward at ${ctx.config.host}.`,
      'Follow this link to accept; it is good for 14 days from when you were invited, and for this address alone:',
      linkUrl(ctx, 'invite', offer),
      'If you did not expect this, there is nothing that you need to do.',
    ].join('\n\n'),
  })
}
