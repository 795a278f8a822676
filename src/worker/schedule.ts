import type { Context } from '../context.ts'
import type { Job } from '../platform/queue/worker.ts'
import { remindOfExpiry } from './jobs/remind-of-expiry.ts'
import { removeExpired } from './jobs/remove-expired.ts'
import { sendInvite } from './jobs/send-invite.ts'
import { sendNotice } from './jobs/send-notice.ts'
import { sendPasswordReset } from './jobs/send-password-reset.ts'
import { sendVerification } from './jobs/send-verification.ts'

/** Every job, with cron's five fields (UTC) where it comes due by itself. */
export const schedule = (ctx: Context): Job[] => [
  { ...removeExpired(ctx), cron: '*/10 * * * *' },
  { ...remindOfExpiry(ctx), cron: '20 * * * *' },
  sendInvite(ctx),
  sendVerification(ctx),
  sendPasswordReset(ctx),
  sendNotice(ctx),
]
