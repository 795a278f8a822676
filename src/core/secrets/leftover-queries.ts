import type { Transaction } from '../../platform/postgres/database.ts'

/** Deletes secrets, or versions of them, of deleted environments, at most so many; tells how many. */
export async function remove(
  tx: Transaction,
  table: 'secrets' | 'secret_versions',
  most: number,
): Promise<number> {
  // Where few environments have nearly all rows, the planner would read the table for each, and most have left nothing.
  await tx`select set_config('enable_seqscan', 'off', true)`
  const { count } = await tx`
    delete from ${tx(table)} where ctid = any(array(
      select s.ctid from deleted_environments d
      cross join lateral (
        select ctid from ${tx(table)} where environment_id = d.id limit ${most} for update skip locked
      ) s
      limit ${most}))`
  await tx`select set_config('enable_seqscan', 'on', true)`
  return count
}

/** Forgets deleted environments that have left nothing. */
export const forgetEmpty = (tx: Transaction) => tx`
  delete from deleted_environments d
  -- By the order of an index, so that it finds the first of each.
  where (select id from secrets where environment_id = d.id order by path, key_digest limit 1) is null
    and (select secret_id from secret_versions where environment_id = d.id order by secret_id, version limit 1) is null`
