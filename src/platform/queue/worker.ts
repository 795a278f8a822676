import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss'
import type { Static } from 'typebox'
import type { Log } from '../log.ts'
import { errorKind, type Span, tracing } from '../tracing.ts'
import {
  createQueues,
  isPayload,
  type JobDefinition,
  openBoss,
  type QueueContext,
  WAKE_CHANNEL,
} from './queue.ts'

/**
 * A job with its work. `run` that rejects has failed; `signal` is aborted when the run has no more time. `id` is the same
 * each time the job is tried.
 */
export type Job<D extends JobDefinition = JobDefinition> = D &
  Readonly<{
    /** When it is enqueued by itself, with an empty payload: five fields, in UTC. */
    cron?: string
    run(payload: Static<D['payload']>, signal: AbortSignal, id: string): Promise<void>
  }>

/** Jobs being worked on. */
export type QueueWorker = {
  /**
   * Takes nothing new and waits for what runs. What still runs after `graceSeconds` is handed back, to be tried again
   * by any worker. With 0 nothing is waited for.
   */
  stop(options: { graceSeconds: number }): Promise<void>
}

export type QueueWorkerOptions = {
  /** How long an idle worker waits before it looks again, at least 0.5. */
  pollSeconds?: number
}

/**
 * Works on the given jobs, one at a time of each kind, and enqueues those with a `cron`. It goes on by itself after the
 * database was away. Rejects when the database is away now or its schema is not the one that pg-boss needs.
 */
export async function startQueueWorker(
  ctx: QueueContext,
  jobs: readonly Job[],
  options: QueueWorkerOptions = {},
): Promise<QueueWorker> {
  const boss = openBoss(ctx, { works: true })
  try {
    await createQueues(boss, jobs)
    await boss.start()
    await schedule(boss, jobs)
    const workers = await Promise.all(jobs.map((job) => work(boss, ctx.log, job, options.pollSeconds ?? 2)))
    const unsubscribe = await ctx.kv?.subscribe(WAKE_CHANNEL, () => {
      for (const id of workers) boss.notifyWorker(id)
    })
    return {
      async stop({ graceSeconds }) {
        await unsubscribe?.()
        await boss.stop(graceSeconds > 0 ? { timeout: graceSeconds * 1000 } : { graceful: false })
      },
    }
  } catch (error) {
    await boss.stop({ graceful: false })
    throw error
  }
}

/** Makes the stored schedules what the jobs say, also dropping those of jobs that are no more. */
async function schedule(boss: PgBoss, jobs: readonly Job[]): Promise<void> {
  const scheduled = new Map(jobs.flatMap((job) => (job.cron === undefined ? [] : [[job.name, job.cron]])))
  for (const stored of await boss.getSchedules()) {
    if (!scheduled.has(stored.name)) await boss.unschedule(stored.name)
  }
  for (const [name, cron] of scheduled) await boss.schedule(name, cron, {}, { tz: 'UTC' })
}

async function work(boss: PgBoss, log: Log, job: Job, pollingIntervalSeconds: number): Promise<string> {
  const options = { pollingIntervalSeconds, includeMetadata: true, perJobResults: true } as const
  const id: string = await boss.work(job.name, options, async (taken: JobWithMetadata<object>[]) => {
    const results = await Promise.all(taken.map((one) => runTraced(log, job, one)))
    // Poll again at once while there are jobs.
    boss.notifyWorker(id)
    return results
  })
  return id
}

/** One run of a job, in a trace of its own while tracing is on. Never rejects. */
export function runTraced(log: Log, job: Job, taken: JobWithMetadata<object>): Promise<JobResult> {
  const trace = tracing()
  if (trace === null) return runOnce(log, job, taken)
  return trace.follow('consumer', `process ${job.name}`, null, async (span) => {
    span.describe(`process ${job.name}`, {
      'messaging.system': 'pg-boss',
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'process',
      'messaging.destination.name': job.name,
      'messaging.message.id': taken.id,
    })
    return await runOnce(log, job, taken, span)
  })
}

/** Never rejects: pg-boss would store the error's message, which may hold secrets. */
async function runOnce(log: Log, job: Job, taken: JobWithMetadata<object>, span?: Span): Promise<JobResult> {
  const line = { job: job.name, id: taken.id }
  if (!isPayload(job, taken.data)) {
    span?.fail('payload')
    log.error(line, 'A job has an invalid payload; moved to the dead-letter queue')
    return { id: taken.id, status: 'deadletter', output: { fault: 'payload' } }
  }
  try {
    await job.run(taken.data as Static<JobDefinition['payload']>, taken.signal, taken.id)
    return { id: taken.id, status: 'completed' }
  } catch (error) {
    const fault = errorKind(error)
    span?.fail(fault)
    if (taken.retryCount < taken.retryLimit)
      log.warn({ ...line, fault }, 'A job failed and will be tried again')
    else log.error({ ...line, fault }, 'A job failed finally; moved to the dead-letter queue')
    return { id: taken.id, status: 'failed', output: { fault } }
  }
}
