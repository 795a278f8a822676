import type { Database, Transaction } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'

/** Beyond `most` bytes of versions so many of them go that `rest` are left, but no more than `rows` at once. */
export type Bound = Readonly<{ most: number; rest: number; rows: number }>

/** The environments whose versions may take more than `most` bytes. */
export const environmentsBeyond = (db: Database, most: number) => db<Row<'environments', 'id'>[]>`
  select id from environments where versions_bytes is null or versions_bytes > ${most}`

/** Locks the row of an environment unless somebody else has: whoever changes its secrets sees to its versions, too. */
export const tryToLock = async (tx: Transaction, environmentId: string): Promise<boolean> => {
  const { count } = await tx`
    select 1 from environments where id = ${environmentId} for no key update skip locked`
  return count > 0
}

/**
 * Counts the versions of an environment, whose row is locked, and deletes the oldest where they take too many bytes: first
 * those of the secrets that were deleted longest ago, then those of the others, but never what a secret is now. Tells how
 * many. What the worker is deleting already is passed over.
 */
export const removeOldest = async (
  tx: Transaction,
  environmentId: string,
  { most, rest, rows }: Bound,
): Promise<number> => {
  const [row] = await tx<{ count: number }[]>`
    with stored as (
      select v.secret_id, v.version, secret_bytes(v.path, v.key, v.value, v.comment, v.tags)::bigint as bytes,
        coalesce(v.version >= s.version, false) as is_now, s.id is not null as is_there,
        case when s.id is null then max(v.created_at) over (partition by v.secret_id) else v.created_at end as at
      from secret_versions v
      left join secrets s on s.id = v.secret_id
      where v.environment_id = ${environmentId}
    ), ranked as (
      select secret_id, version, bytes, is_now, sum(bytes) over (
        order by is_now desc, is_there desc, at desc, secret_id desc, version desc
        rows unbounded preceding) as with_newer
      from stored
    ), total as (
      select coalesce(sum(bytes), 0) as bytes from stored
    ), oldest as (
      select secret_id, version, bytes from ranked
      where not is_now and with_newer > ${rest} and (select bytes from total) > ${most}
      order by with_newer desc limit ${rows}
    ), removable as (
      select v.secret_id, v.version, o.bytes from oldest o
      join secret_versions v on v.secret_id = o.secret_id and v.version = o.version
      for update of v skip locked
    ), removed as (
      delete from secret_versions v using removable r where v.secret_id = r.secret_id and v.version = r.version
    )
    update environments
    set versions_bytes = (select bytes from total) - (select coalesce(sum(bytes), 0) from removable)
    where id = ${environmentId}
    returning (select count(*)::int from removable) as count`
  return row?.count ?? 0
}
