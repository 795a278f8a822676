import { randomUUID } from 'node:crypto'
import type { Metrics } from '../metrics.ts'
import type { Database } from './database.ts'
import { leaveConnection } from './deadlines.ts'
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

/**
 * Confirms versions with one query at a time, on a connection that serves nothing else. Whoever asks while a query is
 * under way waits for the next one, which serves all who wait by then: the one under way may have read the state before
 * they asked. `db` must be a pool of one connection.
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
      batch.resolve(await versionOf(db))
      metrics.countConfirmation()
    } catch (error) {
      batch.reject(error)
    }
    clearTimeout(batch.timer)
    isAsking = false
    if (waiting !== null) void ask(waiting)
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
