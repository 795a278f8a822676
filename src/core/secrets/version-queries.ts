import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { findById } from '../rows.ts'
import type { Row } from '../tables.ts'
import type { Change, EnvironmentRow } from './queries.ts'

/** A version of a secret as it is stored, without its sealed texts. */
export type VersionHeadRow = Row<
  'secret_versions',
  | 'secret_id'
  | 'version'
  | 'event'
  | 'path'
  | 'tags'
  | 'type'
  | 'expires_at'
  | 'actor_type'
  | 'actor_id'
  | 'actor_name'
  | 'created_at'
>

/** A version of a secret as it is stored; the digest as hex text. */
export type VersionRow = VersionHeadRow &
  Row<'secret_versions', 'key' | 'value' | 'comment'> &
  Readonly<{ key_digest: string }>

const headColumns = (db: Queryable) => db`
  v.secret_id, v.version, v.event, v.path, v.tags, v.type, v.expires_at, v.actor_type, v.actor_id, v.actor_name,
  v.created_at`

const columns = (db: Queryable) => db`
  ${headColumns(db)}, v.key, encode(v.key_digest, 'hex') as key_digest, v.value, v.comment`

/** The environment of a secret, also of a deleted one, that the actor can open; undefined when there is none. */
export const findEnvironment = (
  db: Queryable,
  actor: Actor,
  secretId: string,
): Promise<EnvironmentRow | undefined> =>
  findById(
    secretId,
    () => db<EnvironmentRow[]>`
      select e.id, e.app_id, e.name, e.public_key
      from environments e
      join environment_keys k on k.environment_id = e.id and k.principal_id = ${actor.id}
      where e.organisation_id = ${actor.organisation.id}
        and e.id = (select environment_id from secret_versions where secret_id = ${secretId} limit 1)`,
  )

/** The newest versions of a secret, oldest first: there can be more than are kept until the others are deleted. */
export const list = async (
  db: Queryable,
  environmentId: string,
  secretId: string,
  most: number,
): Promise<VersionRow[]> => {
  const rows = await db<VersionRow[]>`select ${columns(db)} ${newest(db, environmentId, secretId, most)}`
  return rows.reverse()
}

/** Versions as `list` gives them, without their sealed texts, which are not read. */
export const listHeads = async (
  db: Queryable,
  environmentId: string,
  secretId: string,
  most: number,
): Promise<VersionHeadRow[]> => {
  const rows = await db<
    VersionHeadRow[]
  >`select ${headColumns(db)} ${newest(db, environmentId, secretId, most)}`
  return rows.reverse()
}

/** How many bytes the versions of a secret take. Reads no text. */
export const storedBytes = async (
  db: Queryable,
  environmentId: string,
  secretId: string,
): Promise<number> => {
  const [row] = await db<{ bytes: number }[]>`
    select coalesce(sum(secret_bytes(path, key, value, comment, tags)), 0)::float8 as bytes
    from secret_versions where environment_id = ${environmentId} and secret_id = ${secretId}`
  return row?.bytes ?? 0
}

const newest = (db: Queryable, environmentId: string, secretId: string, most: number) => db`
  from secret_versions v
  where v.environment_id = ${environmentId} and v.secret_id = ${secretId} order by v.version desc limit ${most}`

/** One version of a secret; undefined when there is none. */
export const find = async (
  tx: Transaction,
  { environment }: Change,
  secretId: string,
  version: number,
): Promise<VersionRow | undefined> => {
  const [row] = await tx<VersionRow[]>`
    select ${columns(tx)} from secret_versions v
    where v.environment_id = ${environment.id} and v.secret_id = ${secretId} and v.version = ${version}`
  return row
}

/** The newest version of a secret; undefined when there is none. */
export const findNewest = async (
  tx: Transaction,
  { environment }: Change,
  secretId: string,
): Promise<VersionRow | undefined> => {
  const [row] = await tx<VersionRow[]>`
    select ${columns(tx)} from secret_versions v
    where v.environment_id = ${environment.id} and v.secret_id = ${secretId} order by v.version desc limit 1`
  return row
}

/** Deletes versions of secrets that have had more than `most` since, some of them at a time; tells how many. */
export const removeBeyond = async (tx: Transaction, most: number, limit: number): Promise<number> => {
  const { count } = await tx`
    delete from secret_versions where ctid = any(array(
      select v.ctid from secrets s
      -- Of each secret by itself, by their index: without statistics, the planner would look for the secret of each version.
      cross join lateral (
        select ctid from secret_versions where secret_id = s.id and version <= s.version - ${most}
        order by version limit ${limit} for update skip locked
      ) v
      where s.version > 100
      order by s.id
      limit ${limit}))`
  return count
}

/** Deletes versions of secrets that were deleted before then, some of them at a time; tells how many. */
export const removeDeletedBefore = async (tx: Transaction, before: Date, limit: number): Promise<number> => {
  const { count } = await tx`
    delete from secret_versions where (secret_id, version) in (
      select v.secret_id, v.version from secret_versions d
      join secret_versions v on v.secret_id = d.secret_id
      where d.event = 'deleted' and d.created_at <= ${before}
        and (select true from secret_versions n
          where n.secret_id = d.secret_id and n.version > d.version order by n.version limit 1) is null
      -- The deletion goes last: it is what the others are found by.
      order by d.created_at, v.secret_id, v.version
      limit ${limit} for update of v skip locked)`
  return count
}
