import type { JobWithMetadata } from 'pg-boss'
import type { Transaction } from '../postgres/database.ts'
import { transactionForQueue } from './database.ts'
import { DEAD_LETTER, openBoss, type QueueContext } from './queue.ts'

/** A job that has failed for good. */
export type DeadLetter = Readonly<{
  id: string
  /** Its name; null when that is not known. */
  job: string | null
  failedAt: Date
  /** How often it ran; null when that is not known. */
  runs: number | null
  /** The class of its last error: never a word of its message. */
  fault: string
}>

/** The jobs that have failed for good. */
export type DeadLetters = {
  /** Oldest first. */
  list(): Promise<DeadLetter[]>
  /** Enqueues these again in the caller's transaction; tells how many of them were there. */
  retry(tx: Transaction, ids: readonly string[]): Promise<number>
  /** Deletes these in the caller's transaction; tells how many of them were there. */
  drop(tx: Transaction, ids: readonly string[]): Promise<number>
  close(): Promise<void>
}

/** Opens the dead-letter queue of a database that has its schema. */
export async function openDeadLetters(ctx: QueueContext): Promise<DeadLetters> {
  const boss = openBoss(ctx, { works: false })
  await boss.start()
  // Until the first start of a backend or worker there is no queue.
  const exists = (await boss.getQueue(DEAD_LETTER)) !== null
  return {
    async list() {
      const jobs = exists ? await boss.findJobs<object>(DEAD_LETTER) : []
      return jobs.map(deadLetterOf).sort((a, b) => a.failedAt.getTime() - b.failedAt.getTime())
    },
    async retry(tx, ids) {
      const options = { db: transactionForQueue(tx), ids: [...ids], limit: ids.length }
      return exists && ids.length > 0 ? await boss.redrive(DEAD_LETTER, options) : 0
    },
    async drop(tx, ids) {
      if (!exists || ids.length === 0) return 0
      const deleted = await boss.deleteJob(DEAD_LETTER, [...ids], { db: transactionForQueue(tx) })
      // Its type is empty in this version of pg-boss.
      return (deleted as { affected: number }).affected
    },
    close: () => boss.stop({ graceful: false }),
  }
}

const deadLetterOf = (job: JobWithMetadata<object>): DeadLetter => ({
  id: job.id,
  job: job.sourceName ?? null,
  failedAt: job.createdOn,
  runs: typeof job.sourceRetryCount === 'number' ? job.sourceRetryCount + 1 : null,
  fault: faultOf(job.sourceOutput),
})

/** Read strictly: what pg-boss stores by itself may be a message. */
function faultOf(output: unknown): string {
  const { fault, value } = (output ?? {}) as { fault?: unknown; value?: { message?: unknown } }
  if (typeof fault === 'string' && /^\w{1,40}$/.test(fault)) return fault
  return value?.message === 'job timed out' ? 'timeout' : 'unknown'
}
