import { type Clock as BossClock, PgBoss } from 'pg-boss'
import type { Static, TObject } from 'typebox'
import { Value } from 'typebox/value'
import type { Kv } from '../kv/kv.ts'
import type { Log } from '../log.ts'
import type { Database, Transaction } from '../postgres/database.ts'
import { outageOf } from '../postgres/outages.ts'
import { poolForQueue, transactionForQueue } from './database.ts'

/**
 * A kind of job. Its payload carries ids of rows, never tokens or addresses: it is stored as it is.
 * A job may run more than once (its worker may die after the work and before the record of it).
 */
export type JobDefinition<Name extends string = string, Payload extends TObject = TObject> = Readonly<{
  name: Name
  payload: Payload
  /** How often a failed job is tried again before it moves to the dead-letter queue. */
  retryLimit: number
  retryDelaySeconds: number
  /** Whether each delay is about double the one before. */
  backoff: boolean
  /** After this long a run has failed; a job whose worker has died is taken by another one then. */
  expireSeconds: number
}>

/** What a job with this name is given. */
export type PayloadOf<D extends JobDefinition, N extends D['name']> = Static<
  Extract<D, { name: N }>['payload']
>

/** The sending side: all that a use case sees of jobs. */
export type Queue<D extends JobDefinition = JobDefinition> = {
  /** Makes the queues known to the database, whose schema must be there. Before the first `send`. */
  start(): Promise<void>
  /**
   * Enqueues in the caller's transaction, by one statement. A `patient` job comes after all others of its name. Throws when
   * the payload is invalid.
   */
  send<N extends D['name']>(
    tx: Transaction,
    name: N,
    payload: PayloadOf<D, N>,
    options?: Readonly<{ patient?: boolean }>,
  ): Promise<void>
  /** Has workers look at once instead of at their next poll. Call it after the commit. */
  wake(): Promise<void>
  stop(): Promise<void>
}

export type QueueContext = Readonly<{
  db: Database
  log: Log
  kv?: Pick<Kv, 'publish' | 'subscribe'>
  /** pg-boss's timers and its idea of the present: by default the database's own time. */
  timers?: BossClock
}>

/** The queue that a job is in when it has failed for good, with its payload and where it came from. */
export const DEAD_LETTER = 'dead-letter'

/** The channel of the KV store that wakes workers. */
export const WAKE_CHANNEL = 'jobs'

/** A queue that sends the given jobs, and neither runs nor schedules anything. */
export function createQueue<D extends JobDefinition>(ctx: QueueContext, definitions: readonly D[]): Queue<D> {
  const boss = openBoss(ctx, { works: false })
  const known = new Map<string, JobDefinition>(definitions.map((definition) => [definition.name, definition]))
  return {
    async start() {
      // Queues first: starting reads them all, so that no `send` asks on a second connection while it holds one.
      await createQueues(boss, definitions)
      await boss.start()
    },
    async send(tx, name, payload, { patient = false } = {}) {
      const definition = known.get(name)
      if (definition === undefined) throw new Error(`There is no job called ${name}.`)
      if (!isPayload(definition, payload)) throw new Error(`The payload of the job ${name} is invalid.`)
      await boss.send(name, payload, { db: transactionForQueue(tx), priority: patient ? -1 : 0 })
    },
    wake: async () => ctx.kv?.publish(WAKE_CHANNEL),
    stop: () => boss.stop({ graceful: false }),
  }
}

/** Whether a payload is valid for a job. */
export const isPayload = (definition: JobDefinition, payload: unknown): boolean =>
  Value.Check(definition.payload, payload)

/** pg-boss on our pool; one that `works` also expires lost jobs, deletes old ones and sends scheduled ones. */
export function openBoss(ctx: QueueContext, { works }: { works: boolean }): PgBoss {
  const boss = new PgBoss({
    db: poolForQueue(ctx.db),
    schema: 'pgboss',
    migrate: false,
    reindex: false,
    supervise: works,
    schedule: works,
    ...(ctx.timers && { clock: ctx.timers }),
  })
  // An error that nobody listens to would end the process.
  boss.on('error', errorLogger(ctx.log))
  boss.on('warning', ({ message }) => ctx.log.warn({ reason: message }, 'Job queue warning'))
  return boss
}

/** Makes each job's queue, or brings it to what the definition says. */
export async function createQueues(boss: PgBoss, definitions: readonly JobDefinition[]): Promise<void> {
  await boss.createQueue(DEAD_LETTER, { retentionSeconds: DEAD_LETTER_RETENTION_SECONDS })
  for (const definition of definitions) {
    const options = {
      retryLimit: definition.retryLimit,
      retryDelay: definition.retryDelaySeconds,
      retryBackoff: definition.backoff,
      expireInSeconds: definition.expireSeconds,
      deadLetter: DEAD_LETTER,
    }
    await boss.createQueue(definition.name, options)
    await boss.updateQueue(definition.name, options)
  }
}

const DEAD_LETTER_RETENTION_SECONDS = 90 * 24 * 3600

/** Logs the message alone, since the error carries the statement's values, and an outage once a minute. */
function errorLogger(log: Log): (error: Error) => void {
  let silentUntil = 0
  return (error) => {
    if (outageOf(error) !== null) {
      if (performance.now() < silentUntil) return
      silentUntil = performance.now() + 60_000
    }
    log.error({ reason: error.message }, 'Job queue error')
  }
}
