import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { type EnvironmentKeys, generateEnvironmentKeys } from '../keys/environment-keys.ts'
import { wrapCopies, wrapForServer } from './key-copies.ts'
import * as queries from './queries.ts'

/**
 * Gives an environment a new seed and salt, and everybody who has a copy of its keys a copy of those: gives the new keys,
 * and how many copies there are. Requires the organisation's lock, so that nobody gets or loses access meanwhile.
 */
export async function renewKeys(
  ctx: Context,
  tx: Transaction,
  environment: Readonly<{ id: string; app_id: string }>,
): Promise<{ keys: EnvironmentKeys; copies: number }> {
  const keys = generateEnvironmentKeys()
  const { id, app_id } = environment
  const wrapped = wrapForServer(ctx, id, keys)
  const principals = await queries.principalsWithCopies(tx, id)
  const copies = await wrapCopies(ctx, principals, [{ id, app_id, ...wrapped }])
  await queries.replaceKeys(tx, id, { public_key: keys.publicKey, ...wrapped })
  await queries.replaceKeyCopies(tx, copies)
  return { keys, copies: copies.length }
}
