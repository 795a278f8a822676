import type { Context } from '../../context.ts'
import { SEND_NOTICE } from '../../core/jobs.ts'
import * as noticeMail from '../../core/notices/notice-mail.ts'
import type { Job } from '../../platform/queue/worker.ts'

/** Mails a notice. Running twice mails it twice. */
export const sendNotice = (ctx: Context): Job<typeof SEND_NOTICE> => ({
  ...SEND_NOTICE,
  run: (payload, signal, jobId) => noticeMail.sendNotice(ctx, payload, { jobId, signal }),
})
