import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { findById } from '../rows.ts'
import type { Row } from '../tables.ts'
import { changesOf } from './lock-queries.ts'

/** An environment with the server's copy of its keys, and whether its app has server-side encryption. */
export type RekeyedEnvironment = Row<
  'environments',
  | 'id'
  | 'app_id'
  | 'name'
  | 'env_type'
  | 'index'
  | 'public_key'
  | 'wrapped_seed'
  | 'wrapped_salt'
  | 'created_at'
  | 'updated_at'
> &
  Row<'apps', 'sse_enabled'>

/** The sealed texts of a secret, or of a version of one; the digest as hex text. */
export type SealedTexts = Row<'secrets', 'id' | 'key' | 'value' | 'comment'> &
  Readonly<{ key_digest: string; version: number }>

/** A sealed override. */
export type SealedOverride = Row<'secret_overrides', 'id' | 'value'>

/** So many bytes of sealed texts are read at once, and what one row has. */
export const PAGE_BYTES = 2 * 1024 * 1024

/** Of small texts, so many rows are read at once. */
const PAGE_ROWS = 500

const environment = (db: Queryable, actor: Actor, id: string) => db`
  select e.id, e.app_id, e.name, e.env_type, e.index, e.public_key, e.wrapped_seed, e.wrapped_salt, e.created_at,
    e.updated_at, a.sse_enabled
  from environments e
  join apps a on a.organisation_id = e.organisation_id and a.id = e.app_id
  join environment_keys k on k.environment_id = e.id and k.principal_id = ${actor.id}
  where e.organisation_id = ${actor.organisation.id} and e.id = ${id}`

/** An environment; undefined when the actor can't open it, also for a malformed id. */
export const find = (db: Queryable, actor: Actor, id: string): Promise<RekeyedEnvironment | undefined> =>
  findById(id, () => db<RekeyedEnvironment[]>`${environment(db, actor, id)}`)

/**
 * Locks an environment's row, so that changes of its secrets wait; undefined when the actor can't open it. Grants go on:
 * their foreign keys ask for less than this lock keeps from others.
 */
export const lock = (tx: Transaction, actor: Actor, id: string): Promise<RekeyedEnvironment | undefined> =>
  findById(id, () => tx<RekeyedEnvironment[]>`${environment(tx, actor, id)} for no key update of e`)

/** Has the turn of renewing what `whose` names, on every replica, until the transaction ends; false when another has. */
export const takeTurn = async (
  tx: Transaction,
  whose: 'environment' | 'principal',
  id: string,
): Promise<boolean> => {
  const [row] = await tx<{ is_free: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`keyward/rekey/${whose}/${id}`}, 0)) as is_free`
  return row?.is_free === true
}

/** Waits for the changes of an environment's secrets that are under way, and has later ones refused. */
export const stopChanges = (tx: Transaction, environmentId: string) =>
  tx`select pg_advisory_xact_lock(hashtextextended(${changesOf(environmentId)}, 0))`

/** Whether anybody waits for a row that this transaction has locked. */
export const isWaitedFor = async (tx: Transaction): Promise<boolean> => {
  const rows = await tx`
    select 1 from pg_locks
    where locktype = 'transactionid' and not granted and transactionid = pg_current_xact_id()::xid limit 1`
  return rows.length > 0
}

/** Comes before the id of every secret. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** The texts of the next secrets. */
export const secrets = (tx: Transaction, organisationId: string, environmentId: string, after: string) =>
  tx<SealedTexts[]>`
    select id, version, key, encode(key_digest, 'hex') as key_digest, value, comment from (
      select n.*, sum(octet_length(key) + octet_length(value) + octet_length(comment)) over (
        order by id rows between unbounded preceding and 1 preceding) as before
      from (
        select id, version, key, key_digest, value, comment from secrets
        where organisation_id = ${organisationId} and environment_id = ${environmentId} and id > ${after}
        order by id limit ${PAGE_ROWS}) n
    ) p
    where before is null or before < ${PAGE_BYTES}
    order by id`

/**
 * The texts of the next versions, those of deleted secrets included. They are read by an index in its order: where the planner
 * expects few, it would read all that are left, and sort them, for each page.
 */
export const versions = async (
  tx: Transaction,
  environmentId: string,
  { id, version }: Pick<SealedTexts, 'id' | 'version'>,
): Promise<SealedTexts[]> => {
  const plansThatSort = (are: 'off' | 'on') =>
    tx`select set_config('enable_bitmapscan', ${are}, true), set_config('enable_sort', ${are}, true)`
  await plansThatSort('off')
  const page = await tx<SealedTexts[]>`
    select secret_id as id, version, key, encode(key_digest, 'hex') as key_digest, value, comment from (
      select n.*, sum(octet_length(key) + octet_length(value) + octet_length(comment)) over (
        order by secret_id, version rows between unbounded preceding and 1 preceding) as before
      from (
        select secret_id, version, key, key_digest, value, comment from secret_versions
        where environment_id = ${environmentId} and (secret_id, version) > (${id}, ${version})
        order by secret_id, version limit ${PAGE_ROWS}) n
    ) p
    where before is null or before < ${PAGE_BYTES}
    order by secret_id, version`
  await plansThatSort('on')
  return page
}

/** An override with whose it is. */
export type FoundOverride = SealedOverride & Row<'secret_overrides', 'secret_id' | 'principal_id'>

/** The next overrides of these secrets. */
export const overrides = (
  tx: Transaction,
  secretIds: readonly string[],
  { secret_id, principal_id }: Pick<FoundOverride, 'secret_id' | 'principal_id'>,
) => tx<FoundOverride[]>`
    select id, secret_id, principal_id, value from (
      select n.*, sum(octet_length(value)) over (
        order by secret_id, principal_id rows between unbounded preceding and 1 preceding) as before
      from (
        select id, secret_id, principal_id, value from secret_overrides
        where secret_id = any(${[...secretIds]}::uuid[])
          and (secret_id, principal_id) > (${secret_id}, ${principal_id})
        order by secret_id, principal_id limit ${PAGE_ROWS}) n
    ) p
    where before is null or before < ${PAGE_BYTES}
    order by secret_id, principal_id`

/** Locks overrides; gives how many of them nobody else has locked or deleted. */
export const lockOverrides = async (tx: Transaction, ids: readonly string[]): Promise<number> => {
  const { count } = await tx`
    select 1 from secret_overrides where id = any(${[...ids]}::uuid[]) for no key update skip locked`
  return count
}

const sealedAgain = (tx: Transaction, texts: readonly SealedTexts[]) => tx`
  jsonb_to_recordset(${tx.json(texts as never)})
    as i (id uuid, version integer, key text, key_digest text, value text, comment text)`

/** Replaces the texts of secrets, and nothing else: not even the version. */
export const replaceSecrets = (tx: Transaction, texts: readonly SealedTexts[]) => tx`
  update secrets s
  set key = i.key, key_digest = decode(i.key_digest, 'hex'), value = i.value, comment = i.comment
  from ${sealedAgain(tx, texts)} where s.id = i.id`

/** Replaces the texts of versions. */
export const replaceVersions = (tx: Transaction, texts: readonly SealedTexts[]) => tx`
  update secret_versions v
  set key = i.key, key_digest = decode(i.key_digest, 'hex'), value = i.value, comment = i.comment
  from ${sealedAgain(tx, texts)} where v.secret_id = i.id and v.version = i.version`

/** Replaces the values of overrides. */
export const replaceOverrides = (tx: Transaction, overrides: readonly SealedOverride[]) => tx`
  update secret_overrides o set value = i.value
  from jsonb_to_recordset(${tx.json(overrides as never)}) as i (id uuid, value text) where o.id = i.id`

/** Has the environment tell when its secrets changed: later than it told before. */
export const markChanged = (tx: Transaction, environmentId: string, at: Date) => tx`
  update environments
  set secrets_changed_at = greatest(${at}, secrets_changed_at + interval '1 millisecond')
  where id = ${environmentId}`
