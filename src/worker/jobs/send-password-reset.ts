import type { Context } from '../../context.ts'
import { SEND_PASSWORD_RESET } from '../../core/jobs.ts'
import * as emailLinkMail from '../../core/links/email-link-mail.ts'
import type { Job } from '../../platform/queue/worker.ts'

/** Mails the link that sets a new password. Running twice mails the same link twice. */
export const sendPasswordReset = (ctx: Context): Job<typeof SEND_PASSWORD_RESET> => ({
  ...SEND_PASSWORD_RESET,
  run: ({ linkId }, signal, jobId) => emailLinkMail.sendPasswordReset(ctx, linkId, { jobId, signal }),
})
