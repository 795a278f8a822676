import type { Database, Transaction } from '../../src/platform/postgres/database.ts'
import { eventually } from './eventually.ts'

/** Sends requests that meet at rows which are locked until all of them wait for one; resolves with their results. */
export async function raceFor<T>(
  db: Database,
  lock: (tx: Transaction) => PromiseLike<unknown>,
  ...requests: (() => Promise<T>)[]
): Promise<T[]> {
  const { results } = await db.begin(async (tx) => {
    await lock(tx)
    const results = Promise.all(requests.map((request) => request()))
    await eventually('all requests wait for a lock', async () => {
      const waiting = await db`
        select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return waiting.length === requests.length
    })
    return { results }
  })
  return results
}

/**
 * Sends requests one after the other, each once those before it wait, while rows or tables are locked over a connection of
 * its own; resolves with their results.
 */
export async function inTurn<T>(
  aside: Database,
  lock: (tx: Transaction) => PromiseLike<unknown>,
  ...requests: (() => Promise<T>)[]
): Promise<T[]> {
  const sent: Promise<T>[] = []
  await aside.begin(async (tx) => {
    await lock(tx)
    for (const request of requests) {
      sent.push(request())
      await eventually('a request waits for a lock', async () => {
        // A transaction sees the connections that were open when it first looked, and these requests may open more.
        await tx`select pg_stat_clear_snapshot()`
        const waiting = await tx`
          select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
        return waiting.length === sent.length
      })
    }
  })
  return await Promise.all(sent)
}
