import type { Context } from '../context.ts'
import type { Job } from '../platform/queue-worker.ts'
import { removeExpired } from './jobs/remove-expired.ts'

/** Every job, with cron's five fields (UTC) where it comes due by itself. */
export const schedule = (ctx: Context): Job[] => [{ ...removeExpired(ctx), cron: '*/10 * * * *' }]
