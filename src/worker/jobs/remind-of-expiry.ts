import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { remindOfExpiry as remind } from '../../core/secrets/expiry-reminders.ts'
import type { Job } from '../../platform/queue/worker.ts'

/** Tells of secrets that expire soon. What was told of is not told again, however often it runs. */
export const remindOfExpiry = (ctx: Context): Job => ({
  name: 'remind-of-expiry',
  payload: Type.Object({}),
  retryLimit: 3,
  retryDelaySeconds: 60,
  backoff: true,
  expireSeconds: 300,
  run: () => remind(ctx),
})
