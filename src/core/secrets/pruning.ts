import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { shareAppOf } from '../apps/app-lock.ts'
import type { Part } from '../parts.ts'
import * as queries from './pruning-queries.ts'
import { MAX_VERSIONS_BYTES } from './version.ts'

/** Less is left than there may be, so that few changes, even large ones, have to wait until versions are counted and deleted. */
const LEFT_BYTES = MAX_VERSIONS_BYTES - 8 * 1024 * 1024

/** So many small ones go at once, which takes less than a second; the next change goes on. */
const ROWS_AT_ONCE = 25_000

/** A change waits only for a short time, less than a statement may take; the worker for longer. */
const LONGEST_MILLISECONDS = { change: 2500, worker: 30_000 } as const
const STATEMENT_TIMEOUT = '57014'

/**
 * Deletes the oldest versions of an environment's secrets when all of them together may take more `bytes` than they can;
 * null where nobody has counted them. For the end of a change, which holds the environment's row, and which never fails
 * because of them: what takes too long is left to the next change, or the worker.
 */
export async function pruneVersions(
  tx: Transaction,
  environmentId: string,
  bytes: number | null,
): Promise<void> {
  if (bytes !== null && bytes <= MAX_VERSIONS_BYTES) return
  await tx
    .savepoint(async (tx) => {
      await waitFor(tx, LONGEST_MILLISECONDS.change)
      await prune(tx, environmentId)
    })
    .catch((error) => {
      if ((error as { code?: string }).code !== STATEMENT_TIMEOUT) throw error
    })
}

/** Does the same for all environments, also those that nobody changes. Passes over those that are being changed. */
export function pruning(ctx: Context): Part {
  let left: string[] | null = null
  return async () => {
    left ??= (await queries.environmentsBeyond(ctx.db, MAX_VERSIONS_BYTES)).map(({ id }) => id)
    const id = left.pop()
    if (id === undefined) return false
    if ((await pruneAlone(ctx, id)) === ROWS_AT_ONCE) left.push(id)
    return true
  }
}

const pruneAlone = (ctx: Context, environmentId: string): Promise<number> =>
  ctx.db.beginWithin(2 * LONGEST_MILLISECONDS.worker, async (tx) => {
    await waitFor(tx, LONGEST_MILLISECONDS.worker)
    await shareAppOf(tx, environmentId)
    return (await queries.tryToLock(tx, environmentId)) ? await prune(tx, environmentId) : 0
  })

/** Tells how many have gone. */
async function prune(tx: Transaction, environmentId: string): Promise<number> {
  const bytes = await queries.countBytes(tx, environmentId)
  if (bytes <= MAX_VERSIONS_BYTES) return 0
  return await queries.removeOldest(tx, environmentId, bytes - LEFT_BYTES, ROWS_AT_ONCE)
}

const waitFor = (tx: Transaction, milliseconds: number) =>
  tx`select set_config('statement_timeout', ${String(milliseconds)}, true)`
