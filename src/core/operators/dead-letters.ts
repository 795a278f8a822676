import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { DeadLetter, DeadLetters } from '../../platform/queue/dead-letters.ts'
import type { AuditEvent } from '../audit/events.ts'
import { notFound } from '../errors.ts'
import { isId } from '../id.ts'
import { transaction } from '../transactions.ts'
import { recordOperator } from './operator.ts'

/** How many jobs are enqueued or deleted in one transaction. */
const JOBS_PER_TRANSACTION = 500

/** The jobs that a command is about: of these ids, or `all` of now. 404 for an id that no failed job has. */
export async function chooseJobs(
  deadLetters: DeadLetters,
  wanted: 'all' | readonly string[],
): Promise<DeadLetter[]> {
  const jobs = await deadLetters.list()
  if (wanted === 'all') return jobs
  const byId = new Map(jobs.map((job) => [job.id, job]))
  return [...new Set(wanted.map((id) => id.toLowerCase()))].map((id) => {
    const job = isId(id) ? byId.get(id) : undefined
    if (job === undefined) throw notFound('Failed job', id)
    return job
  })
}

/** Enqueues failed jobs again; tells how many. Those that another command took meanwhile are passed over. */
export async function retryJobs(
  ctx: Context,
  deadLetters: DeadLetters,
  jobs: readonly DeadLetter[],
): Promise<number> {
  const count = await inBatches(ctx, 'jobs retry', jobs, deadLetters.retry, (batch) => ({
    eventType: 'job.retried',
    resourceId: batch.onlyId,
    newValues: batch.values,
    description: `${batch.words} enqueued again.`,
  }))
  await ctx.queue.wake()
  return count
}

/** Deletes failed jobs; tells how many. Those that another command took meanwhile are passed over. */
export const dropJobs = (
  ctx: Context,
  deadLetters: DeadLetters,
  jobs: readonly DeadLetter[],
): Promise<number> =>
  inBatches(ctx, 'jobs drop', jobs, deadLetters.drop, (batch) => ({
    eventType: 'job.dropped',
    resourceId: batch.onlyId,
    oldValues: batch.values,
    description: `${batch.words} deleted.`,
  }))

/** What an audit entry tells of some jobs: how many, their names, and the id of a single one. */
type Batch = Readonly<{
  onlyId: string | null
  values: Readonly<{ count: number; names: readonly string[] }>
  words: string
}>

async function inBatches(
  ctx: Context,
  command: string,
  jobs: readonly DeadLetter[],
  work: (tx: Transaction, ids: readonly string[]) => Promise<number>,
  eventOf: (batch: Batch) => AuditEvent,
): Promise<number> {
  let done = 0
  for (let from = 0; from < jobs.length; from += JOBS_PER_TRANSACTION) {
    const chosen = jobs.slice(from, from + JOBS_PER_TRANSACTION)
    const ids = chosen.map(({ id }) => id)
    done += await transaction(ctx, async (tx) => {
      const count = await work(tx, ids)
      if (count > 0) await recordOperator(ctx, tx, command, eventOf(batchOf(chosen, count)))
      return count
    })
  }
  return done
}

function batchOf(chosen: readonly DeadLetter[], count: number): Batch {
  const names = [...new Set(chosen.map(({ job }) => job ?? 'unknown'))].sort()
  return {
    onlyId: chosen.length === 1 ? (chosen[0]?.id ?? null) : null,
    values: { count, names },
    words: count === 1 ? 'A failed job was' : `${count} failed jobs were`,
  }
}
