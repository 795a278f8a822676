import type { Context } from '../../context.ts'
import * as emailLinkMail from '../../core/auth/email-link-mail.ts'
import { SEND_VERIFICATION } from '../../core/jobs.ts'
import type { Job } from '../../platform/queue-worker.ts'

/** Mails the link that proves an address. Running twice mails the same link twice. */
export const sendVerification = (ctx: Context): Job<typeof SEND_VERIFICATION> => ({
  ...SEND_VERIFICATION,
  run: ({ linkId }) => emailLinkMail.sendVerification(ctx, linkId),
})
