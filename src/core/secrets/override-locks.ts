import type { Transaction } from '../../platform/postgres/database.ts'

/*
 * Overrides go with their secret, and with their member's copy of the environment's keys. What deletes either locks the
 * overrides first, in one order: cascades would lock them in orders of their own, and two could wait for each other.
 */

/** Locks the overrides of an environment's secrets that are about to be deleted. */
export const lockOverridesOf = (tx: Transaction, environmentId: string, secretIds: readonly string[]) =>
  tx`
    select 1 from secret_overrides
    where secret_id = any(${[...secretIds]}::uuid[]) and environment_id = ${environmentId}
    order by secret_id, principal_id for update`

/**
 * Locks a principal's key copies that are about to be deleted, of some environments or of all, and the overrides that go
 * with them. The copies first: a change of secrets holds its copy for as long as it can add overrides.
 */
export async function lockCopies(
  tx: Transaction,
  principalId: string,
  environmentIds?: readonly string[],
): Promise<void> {
  const ofThese =
    environmentIds === undefined
      ? tx`principal_id = ${principalId}`
      : tx`principal_id = ${principalId} and environment_id = any(${[...environmentIds]}::uuid[])`
  await tx`select 1 from environment_keys where ${ofThese} order by environment_id for update`
  await tx`select 1 from secret_overrides where ${ofThese} order by secret_id, principal_id for update`
}
