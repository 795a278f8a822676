import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Part } from '../parts.ts'
import { patientTransaction } from '../transactions.ts'
import { pruning } from './pruning.ts'
import { DELETED_DAYS, MAX_VERSIONS } from './version.ts'
import * as versionQueries from './version-queries.ts'

/** So many rows go in one transaction: locks are held for a short time. */
const ROWS_PER_TRANSACTION = 1000
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000

/**
 * Deletes the versions of secrets that are no longer kept: all but the newest of each, those of secrets that were
 * deleted long ago, and the oldest of environments where all take too much. May run several times at once.
 */
export function oldVersions(ctx: Context): Part[] {
  const before = new Date(ctx.clock.now().getTime() - DELETED_DAYS * DAY_MILLISECONDS)
  const part = (remove: (tx: Transaction, rows: number) => Promise<number>) => async () =>
    (await patientTransaction(ctx, (tx) => remove(tx, ROWS_PER_TRANSACTION))) === ROWS_PER_TRANSACTION
  return [
    part((tx, rows) => versionQueries.removeBeyond(tx, MAX_VERSIONS, rows)),
    part((tx, rows) => versionQueries.removeDeletedBefore(tx, before, rows)),
    pruning(ctx),
  ]
}
