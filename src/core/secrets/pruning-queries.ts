import type { Database, Transaction } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'

/** The environments whose versions may take more than `most` bytes. */
export const environmentsBeyond = (db: Database, most: number) => db<Row<'environments', 'id'>[]>`
  select id from environments where versions_bytes is null or versions_bytes > ${most}`

/** Locks the row of an environment unless somebody else has: whoever changes its secrets sees to its versions, too. */
export const tryToLock = async (tx: Transaction, environmentId: string): Promise<boolean> => {
  const { count } = await tx`
    select 1 from environments where id = ${environmentId} for no key update skip locked`
  return count > 0
}

/** Counts what the versions of an environment take, whose row is locked. Reads no text: only how long each is. */
export const countBytes = async (tx: Transaction, environmentId: string): Promise<number> => {
  const [row] = await tx<{ bytes: number }[]>`
    update environments set versions_bytes = (
      select coalesce(sum(version_bytes(path, key, value, comment, tags)), 0)
      from secret_versions where environment_id = ${environmentId})
    where id = ${environmentId}
    returning versions_bytes::float8 as bytes`
  return row?.bytes ?? 0
}

/**
 * Deletes the oldest versions of an environment, whose row is locked, until so many bytes are gone, but at most so many
 * rows: first those of the secrets that were deleted longest ago, then those of the others, never what a secret is now.
 * Tells how many.
 */
export const removeOldest = async (
  tx: Transaction,
  environmentId: string,
  bytes: number,
  rows: number,
): Promise<number> => {
  const [row] = await tx<{ count: number }[]>`
    -- By itself: what is sorted has no texts then, and fits into memory.
    with sized as materialized (
      select secret_id, version, created_at, version_bytes(path, key, value, comment, tags) as bytes
      from secret_versions where environment_id = ${environmentId}
    ), oldest as (
      select v.secret_id, v.version, v.bytes,
        case when s.version is null then max(v.created_at) over (partition by v.secret_id) end as deleted_at, v.created_at
      from sized v
      -- There is at most one. The limit has each looked up by its id, whatever the statistics say of the environment.
      left join lateral (select version from secrets where id = v.secret_id limit 1) s on true
      where s.version is null or v.version < s.version
      order by deleted_at, v.created_at, v.secret_id, v.version
      limit ${rows}
    ), summed as (
      select secret_id, version, sum(bytes) over (
        order by deleted_at, created_at, secret_id, version rows unbounded preceding) - bytes as older
      from oldest
    ), removed as (
      delete from secret_versions v using summed o
      where v.secret_id = o.secret_id and v.version = o.version and o.older < ${bytes}
      returning version_bytes(v.path, v.key, v.value, v.comment, v.tags) as bytes
    )
    update environments set versions_bytes = versions_bytes - (select coalesce(sum(bytes), 0) from removed)
    where id = ${environmentId}
    returning (select count(*)::int from removed) as count`
  return row?.count ?? 0
}
