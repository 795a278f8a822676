import type { QueueContext } from '../platform/queue/queue.ts'
import { type Job, startQueueWorker } from '../platform/queue/worker.ts'

/** The worker while it runs. */
export type Worker = { stop(): Promise<void> }

export type WorkerOptions = {
  /** How long `stop` lets running jobs finish before they are handed back. */
  graceSeconds?: number
  pollSeconds?: number
}

/** Starts working on `jobs`, and enqueues the scheduled ones when they are due. The schema must be ready. */
export async function startWorker(
  ctx: QueueContext,
  jobs: readonly Job[],
  options: WorkerOptions = {},
): Promise<Worker> {
  const { graceSeconds = 20, pollSeconds = 2 } = options
  const worker = await startQueueWorker(ctx, jobs, { pollSeconds })
  ctx.log.info({ jobs: jobs.map((job) => job.name) }, 'The worker is running')
  return {
    async stop() {
      await worker.stop({ graceSeconds })
      ctx.log.info('The worker has stopped')
    },
  }
}
