import type { Context } from '../../context.ts'
import { linkUrl } from '../links/link.ts'
import { type Delivery, sendLetter } from '../mail/sending.ts'
import { inviteLetter } from './invite-letter.ts'
import * as queries from './queries.ts'

/** Mails an invite's link to the invited address; does nothing once the invite is closed or expired, or without a mail gateway. */
export async function send(ctx: Context, inviteId: string, delivery: Delivery): Promise<void> {
  if (ctx.config.smtp === null) return
  const [invite] = await queries.findDetails(ctx.db, inviteId, ctx.clock.now())
  if (invite === undefined) return
  const letter = inviteLetter({
    organisation: invite.organisation_name,
    host: ctx.config.host,
    url: linkUrl(ctx, 'invite', invite),
    expiresAt: invite.expires_at,
  })
  await sendLetter(ctx, invite.email, letter, delivery)
}
