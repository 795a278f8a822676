import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import * as queries from './pruning-queries.ts'
import { MAX_VERSIONS_BYTES } from './version.ts'

/** Fewer are left than may be, so that not every change has to count and delete; more than a change writes go at once. */
const BOUND: queries.Bound = {
  most: MAX_VERSIONS_BYTES,
  rest: MAX_VERSIONS_BYTES - 4 * 1024 * 1024,
  rows: 100_000,
}
const LONGEST_MILLISECONDS = 30_000

/**
 * Deletes the oldest versions of an environment's secrets when all of them together may take more `bytes` than they can;
 * null where nobody has counted them. For the end of a change, which holds the environment's row.
 */
export async function pruneVersions(
  tx: Transaction,
  environmentId: string,
  bytes: number | null,
): Promise<void> {
  if (bytes === null || bytes > BOUND.most) await queries.removeOldest(tx, environmentId, BOUND)
}

/** Does the same for all environments, also those that nobody changes. Passes over those that are being changed. */
export async function pruneAll(ctx: Context): Promise<void> {
  for (const { id } of await queries.environmentsBeyond(ctx.db, BOUND.most)) {
    while ((await pruneAlone(ctx, id)) === BOUND.rows);
  }
}

const pruneAlone = (ctx: Context, environmentId: string): Promise<number> =>
  ctx.db.beginWithin(LONGEST_MILLISECONDS, async (tx) => {
    await tx`select set_config('statement_timeout', ${String(LONGEST_MILLISECONDS)}, true)`
    if (!(await queries.tryToLock(tx, environmentId))) return 0
    return await queries.removeOldest(tx, environmentId, BOUND)
  })
