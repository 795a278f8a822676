import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { patientTransaction } from '../transactions.ts'
import { pruneAll } from './pruning.ts'
import { DELETED_DAYS, MAX_VERSIONS } from './version.ts'
import * as versionQueries from './version-queries.ts'

/** So many rows go in one transaction: locks are held for a short time. */
const ROWS_PER_TRANSACTION = 1000
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000

/**
 * Deletes the versions of secrets that are no longer kept: all but the newest of each, those of secrets that were
 * deleted long ago, and the oldest of environments where all take too much. May run several times at once.
 */
export async function removeOldVersions(ctx: Context): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - DELETED_DAYS * DAY_MILLISECONDS)
  await untilFew(ctx, (tx) => versionQueries.removeBeyond(tx, MAX_VERSIONS, ROWS_PER_TRANSACTION))
  await untilFew(ctx, (tx) => versionQueries.removeDeletedBefore(tx, before, ROWS_PER_TRANSACTION))
  await pruneAll(ctx)
}

async function untilFew(ctx: Context, remove: (tx: Transaction) => Promise<number>): Promise<void> {
  while ((await patientTransaction(ctx, remove)) === ROWS_PER_TRANSACTION);
}
