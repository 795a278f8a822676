import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import * as housekeeping from '../../core/housekeeping.ts'
import type { Job } from '../../platform/queue/worker.ts'

/** Deletes what has expired. Running twice does no harm. */
export const removeExpired = (ctx: Context): Job => ({
  name: 'remove-expired',
  payload: Type.Object({}),
  retryLimit: 3,
  retryDelaySeconds: 30,
  backoff: true,
  expireSeconds: 300,
  run: () => housekeeping.removeExpired(ctx),
})
