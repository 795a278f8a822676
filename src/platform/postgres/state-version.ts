import { randomUUID } from 'node:crypto'
import type { Metrics } from '../metrics.ts'
import { type Database, type DatabaseConfig, openDatabase } from './database.ts'
import { type Deadlines, leaveConnection } from './deadlines.ts'
import { DeadlinePassed } from './outages.ts'

/** Asks the database which version its state has. */
export type StateVersions = Readonly<{
  /**
   * The version of the state at some moment after the call: two equal ones have had no change between them. Rejects when
   * the database has not answered within the time of one statement.
   */
  confirm(): Promise<string>
  end(): Promise<void>
}>

/** Requests that wait for the same answer. */
type Batch = PromiseWithResolvers<string> & { timer: ReturnType<typeof setTimeout> | undefined }

/** After how long without an answer the question is sent on another connection as well. */
const SILENCE_MILLISECONDS = 500

/** A pool for `createStateVersions`: one connection is used while the database answers. */
export const openForStateVersions = (config: DatabaseConfig, deadlines: Deadlines): Database =>
  openDatabase(config, { max: 4, connectSeconds: 2, deadlines })

/**
 * Confirms versions with one question at a time, on connections that serve nothing else. Whoever asks while a question is
 * under way waits for the next one, which serves all who wait by then: the one under way may have read the state before
 * they asked.
 */
export function createStateVersions(
  db: Database,
  metrics: Pick<Metrics, 'countConfirmation'>,
): StateVersions {
  let isAsking = false
  let waiting: Batch | null = null

  const open = (): Batch => {
    const batch: Batch = { ...Promise.withResolvers<string>(), timer: undefined }
    const { statementMilliseconds } = db.deadlines
    if (!isAsking || statementMilliseconds === Infinity) return batch
    // The query before may take its whole time; nobody waits for longer than one.
    batch.timer = setTimeout(() => {
      if (waiting === batch) waiting = null
      batch.reject(new DeadlinePassed())
    }, statementMilliseconds)
    return batch
  }
  const ask = async (batch: Batch): Promise<void> => {
    isAsking = true
    waiting = null
    try {
      batch.resolve(await firstVersionOf(db))
      metrics.countConfirmation()
    } catch (error) {
      batch.reject(error)
    }
    clearTimeout(batch.timer)
    // After what has arrived meanwhile: one question serves more requests then.
    if (waiting !== null) setImmediate(askNext)
    else isAsking = false
  }
  const askNext = () => {
    if (waiting === null) isAsking = false
    else void ask(waiting)
  }
  return {
    confirm: (): Promise<string> => {
      waiting ??= open()
      const { promise } = waiting
      if (!isAsking) void ask(waiting)
      return promise
    },
    end: () => db.end({ timeout: 5 }),
  }
}

/**
 * Sent again on another connection for as long as there is no answer. A database that was moved to another machine leaves
 * connections behind that are never answered and never closed, and one that is being made just then is one of them.
 */
async function firstVersionOf(db: Database): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const ask = () => void versionOf(db).then(resolve, reject)
  ask()
  const timer = setInterval(ask, SILENCE_MILLISECONDS)
  return await promise.finally(() => clearInterval(timer))
}

/**
 * With the time at which the server started: after a crash or a fail-over that lost the newest changes, the state may
 * come back to a version that it has had, while something newer is remembered under it.
 */
async function versionOf(db: Database): Promise<string> {
  const look = db<{ version: string; readOnly: boolean }[]>`
    select version || ' ' || extract(epoch from pg_postmaster_start_time()) as version,
      current_setting('transaction_read_only')::boolean as "readOnly"
    from state_version`
  const [row] = await look
  // A standby, or what was the primary before a fail-over: changes may be made elsewhere by now.
  if (row?.readOnly) leaveConnection(look)
  // A version that nothing is remembered under.
  return row === undefined || row.readOnly ? randomUUID() : row.version
}
