import type { Context } from '../../context.ts'
import { SEND_VERIFICATION } from '../../core/jobs.ts'
import * as emailLinkMail from '../../core/links/email-link-mail.ts'
import type { Job } from '../../platform/queue/worker.ts'

/** Mails the link that proves an address. Running twice mails the same link twice. */
export const sendVerification = (ctx: Context): Job<typeof SEND_VERIFICATION> => ({
  ...SEND_VERIFICATION,
  run: ({ linkId }, signal, jobId) => emailLinkMail.sendVerification(ctx, linkId, { jobId, signal }),
})
