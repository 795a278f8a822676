import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Part } from '../parts.ts'
import { patientTransaction } from '../transactions.ts'
import * as queries from './leftover-queries.ts'

/** So many rows take a part of a second. */
const ROWS_AT_ONCE = 10_000

/**
 * Deletes secrets, with their versions, of environments that were deleted; tells whether there can be more. Part of each
 * deletion of environments: little goes at once, and much in parts, by the worker.
 */
export async function removeLeftovers(tx: Transaction): Promise<boolean> {
  const secrets = await queries.remove(tx, 'secrets', ROWS_AT_ONCE)
  const versions = await queries.remove(tx, 'secret_versions', ROWS_AT_ONCE)
  await queries.forgetEmpty(tx)
  return secrets === ROWS_AT_ONCE || versions === ROWS_AT_ONCE
}

/** Deletes what deleted environments have left. May run several times at once. */
export const leftovers =
  (ctx: Context): Part =>
  () =>
    patientTransaction(ctx, removeLeftovers)
