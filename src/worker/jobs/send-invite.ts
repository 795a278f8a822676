import type { Context } from '../../context.ts'
import * as inviteMail from '../../core/invites/invite-mail.ts'
import { SEND_INVITE } from '../../core/jobs.ts'
import type { Job } from '../../platform/queue/worker.ts'

/** Mails an invite. Running twice mails the same link twice. */
export const sendInvite = (ctx: Context): Job<typeof SEND_INVITE> => ({
  ...SEND_INVITE,
  run: ({ inviteId }, signal, jobId) => inviteMail.send(ctx, inviteId, { jobId, signal }),
})
