import type { Transaction } from '../../platform/postgres/database.ts'

/** Deletes secrets, or versions of them, of deleted environments, at most so many; tells how many. */
export const remove = async (
  tx: Transaction,
  table: 'secrets' | 'secret_versions',
  most: number,
): Promise<number> => {
  const { count } = await tx`
    delete from ${tx(table)} where ctid = any(array(
      select s.ctid from deleted_environments d
      cross join lateral (
        select ctid from ${tx(table)} where environment_id = d.id limit ${most} for update skip locked
      ) s
      limit ${most}))`
  return count
}

/** Forgets deleted environments that have left nothing. */
export const forgetEmpty = (tx: Transaction) => tx`
  delete from deleted_environments d
  where not exists (select 1 from secrets where environment_id = d.id)
    and not exists (select 1 from secret_versions where environment_id = d.id)`
