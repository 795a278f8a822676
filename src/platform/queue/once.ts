import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss'
import type { Database } from '../postgres/database.ts'
import { createQueues, openBoss, type QueueContext } from './queue.ts'
import { type Job, runTraced } from './worker.ts'

/** What one round is for. */
export type Round = Readonly<{
  /** The jobs with this `cron` are due. */
  cron: string
  /** After this long no further job is taken. */
  seconds: number
}>

/**
 * Works on what waits in the queues now, one job after the other, of each kind in turn: for runtimes on which nothing runs
 * between requests, whose own timer calls this. Retries, dead letters and the end of lost jobs are as with a worker that
 * runs. Two rounds at once share the work. Gives the number of jobs that were run.
 */
export async function workOnce(ctx: QueueContext, jobs: readonly Job[], round: Round): Promise<number> {
  const boss = openBoss(ctx, { works: false })
  const end = performance.now() + round.seconds * 1000
  let done = 0
  try {
    await createQueues(boss, jobs)
    await boss.start()
    await boss.supervise()
    // Once a minute, however many timers there are.
    const once = { singletonKey: 'cron', singletonSeconds: 60 }
    for (const job of jobs) if (job.cron === round.cron) await boss.send(job.name, {}, once)
    // One of each kind in turn: however many of one wait, the others come.
    let waiting = jobs
    while (waiting.length > 0) {
      const stillWaiting: Job[] = []
      for (const job of waiting) {
        if (performance.now() < end && (await runNext(boss, ctx, job))) stillWaiting.push(job)
      }
      done += stillWaiting.length
      waiting = stillWaiting
    }
  } finally {
    await boss.stop({ graceful: false })
  }
  return done
}

/** Whether there was a job to run. */
async function runNext(boss: PgBoss, { db, log }: QueueContext, job: Job): Promise<boolean> {
  const [taken] = (await boss.fetch(job.name, { includeMetadata: true })) as JobWithMetadata<object>[]
  if (taken === undefined) return false
  const signal = AbortSignal.timeout(job.expireSeconds * 1000)
  await settle(boss, db, job, taken.id, await runTraced(log, job, { ...taken, signal }))
  return true
}

async function settle(
  boss: PgBoss,
  db: Database,
  { name }: Job,
  id: string,
  { status, output }: JobResult,
): Promise<void> {
  if (status === 'completed') return void (await boss.complete(name, id))
  // What can't be read now never can be: it goes to the dead letters at once.
  if (status === 'deadletter') {
    await db`update pgboss.job set retry_limit = retry_count where name = ${name} and id = ${id}`
  }
  await boss.fail(name, id, output as object)
}
