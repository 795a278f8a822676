import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { isId } from '../id.ts'
import { countOf } from '../rows.ts'
import type { Row } from '../tables.ts'
import { lockOverridesOf } from './override-locks.ts'
import { ownOverride } from './own-override.ts'
import type { OverrideRow, SecretFilter, SecretRow } from './secret.ts'

/** The environment of secrets, with what audit entries tell of it. */
export type EnvironmentRow = Row<'environments', 'id' | 'app_id' | 'name' | 'public_key'>

/** What of a secret is written; the digest as hex text. */
export type SecretValues = Row<
  'secrets',
  'id' | 'path' | 'key' | 'value' | 'comment' | 'type' | 'expires_at'
> &
  Readonly<{ key_digest: string; tags: readonly string[] }>

/** Who makes a change, and when. */
export type Change = Readonly<{ actor: Actor; environment: EnvironmentRow; at: Date }>

type StoredSecret = Omit<SecretRow, 'override'>
type FoundSecret = StoredSecret & { [C in keyof OverrideRow as `override_${C}`]: OverrideRow[C] | null }
type FoundEnvironment = { [C in keyof EnvironmentRow as `found_${C}`]: EnvironmentRow[C] }

const columns = (db: Queryable) => db`
  s.id, s.environment_id, s.path, s.key, encode(s.key_digest, 'hex') as key_digest, s.value, s.comment, s.tags, s.type,
  s.version, s.expires_at, s.created_at, s.updated_at,
  o.id as override_id, o.secret_id as override_secret_id, o.value as override_value,
  o.is_active as override_is_active, o.created_at as override_created_at, o.updated_at as override_updated_at`

/**
 * An environment that the actor holds a copy of the keys of, and its secrets by path, then age, with the actor's own
 * overrides; undefined when there is none, also for a malformed id. One statement: an environment that is deleted
 * meanwhile must not be seen without secrets.
 */
export async function list(
  db: Queryable,
  actor: Actor,
  environmentId: string,
  filter: SecretFilter,
): Promise<{ environment: EnvironmentRow; secrets: SecretRow[] } | undefined> {
  if (!isId(environmentId)) return undefined
  const rows = await db<((FoundSecret | { id: null }) & FoundEnvironment)[]>`
    select e.id as found_id, e.app_id as found_app_id, e.name as found_name, e.public_key as found_public_key, f.*
    from environments e
    join environment_keys k on k.environment_id = e.id and k.principal_id = ${actor.id}
    left join lateral (
      select ${columns(db)} from secrets s
      ${ownOverride(db, actor)}
      where s.environment_id = e.id ${passing(db, filter)}
    ) f on true
    where e.organisation_id = ${actor.organisation.id} and e.id = ${environmentId}
    order by f.path, f.created_at, f.id`
  const [first] = rows
  if (first === undefined) return undefined
  const { found_id: id, found_app_id: app_id, found_name: name, found_public_key: public_key } = first
  const secrets = rows.flatMap((row) => (row.id === null ? [] : secretOf(row)))
  return { environment: { id, app_id, name, public_key }, secrets }
}

/** The conditions of secrets `s` that pass a filter, each after an `and`. */
export const passing = (db: Queryable, { path, keyDigest, tags, ids }: SecretFilter) => db`
  ${path === undefined ? db`` : db`and s.path = ${path}`}
  ${keyDigest === undefined ? db`` : db`and s.key_digest = decode(${keyDigest}, 'hex')`}
  ${tags === undefined ? db`` : db`and s.tags && ${[...tags]}::text[]`}
  ${ids === undefined ? db`` : db`and s.id = any(${[...ids]}::uuid[])`}`

/** What tells whether a secret, and the actor's own value of it, are as they were read. */
export type SecretState = Readonly<{ id: string; version: number; override_value: string | null }>

/** The states of secrets, where nothing can change them: `list` may show many of their texts. */
export const listStates = (tx: Transaction, { actor, environment }: Change, filter: SecretFilter) =>
  tx<SecretState[]>`
    select s.id, s.version, o.value as override_value from secrets s
    ${ownOverride(tx, actor)}
    where s.environment_id = ${environment.id} ${passing(tx, filter)}`

/** How many secrets an environment has. */
export const count = (db: Queryable, environmentId: string): Promise<number> =>
  countOf(db`select count(*)::int as count from secrets where environment_id = ${environmentId}`)

/** Those of these names that secrets other than `except` have in an environment. */
export const findTaken = (
  tx: Transaction,
  environmentId: string,
  names: readonly Readonly<{ path: string; key_digest: string }>[],
  except: readonly string[],
) => tx<{ path: string; key_digest: string }[]>`
    select s.path, encode(s.key_digest, 'hex') as key_digest
    from jsonb_to_recordset(${tx.json(names as never)}) as n (path text, key_digest text)
    join secrets s on s.environment_id = ${environmentId} and s.path = n.path collate "C"
      and s.key_digest = decode(n.key_digest, 'hex')
    where s.id <> all(${[...except]}::uuid[])`

/** Has the environment tell when its secrets changed: later than it told before. */
export const markChanged = (tx: Transaction, { environment, at }: Change) => tx`
  update environments
  set secrets_changed_at = greatest(${at}, secrets_changed_at + interval '1 millisecond')
  where id = ${environment.id}`

const input = (tx: Transaction, secrets: readonly SecretValues[]) => tx`
  jsonb_to_recordset(${tx.json(secrets as never)}) as i (id uuid, path text, key text, key_digest text, value text,
    comment text, tags text[], type text, expires_at timestamptz)`

/** Stores new secrets, each with its first version, in one statement. */
export const insert = (tx: Transaction, change: Change, secrets: readonly SecretValues[]) => {
  const { actor, environment, at } = change
  return tx`
    with s as (
      insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
        version, expires_at, created_at, updated_at)
      select i.id, ${actor.organisation.id}, ${environment.app_id}, ${environment.id}, i.path, i.key,
        decode(i.key_digest, 'hex'), i.value, i.comment, i.tags, i.type, 1, i.expires_at, ${at}, ${at}
      from ${input(tx, secrets)}
      returning *)
    ${versionsOf(tx, change, 'created')}`
}

/** Replaces what secrets have, each with a new version, in one statement. */
export const update = (tx: Transaction, change: Change, secrets: readonly SecretValues[]) => tx`
  with s as (
    update secrets s
    set path = i.path, key = i.key, key_digest = decode(i.key_digest, 'hex'), value = i.value, comment = i.comment,
      tags = i.tags, type = i.type, expires_at = i.expires_at, version = s.version + 1, updated_at = ${change.at}
    from ${input(tx, secrets)}
    where s.environment_id = ${change.environment.id} and s.id = i.id
    returning s.*)
  ${versionsOf(tx, change, 'updated')}`

/** Deletes secrets; a last version of each stays, and is what it gives. */
export async function remove(
  tx: Transaction,
  change: Change,
  ids: readonly string[],
): Promise<readonly VersionRef[]> {
  await lockOverridesOf(tx, change.environment.id, ids)
  return await tx<VersionRef[]>`
    with s as (
      delete from secrets where environment_id = ${change.environment.id} and id = any(${[...ids]}::uuid[])
      returning id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
        version + 1 as version, expires_at)
    ${versionsOf(tx, change, 'deleted')}`
}

/** Puts a secret back, under its old id where it was deleted, as the version of this number. */
export const restore = (tx: Transaction, change: Change, secret: SecretValues, version: number) => {
  const { actor, environment, at } = change
  return tx`
    with s as (
      insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
        version, expires_at, created_at, updated_at)
      select i.id, ${actor.organisation.id}, ${environment.app_id}, ${environment.id}, i.path, i.key,
        decode(i.key_digest, 'hex'), i.value, i.comment, i.tags, i.type, ${version}, i.expires_at, ${at}, ${at}
      from ${input(tx, [secret])}
      on conflict (id) do update set path = excluded.path, key = excluded.key, key_digest = excluded.key_digest,
        value = excluded.value, comment = excluded.comment, tags = excluded.tags, type = excluded.type,
        expires_at = excluded.expires_at, version = excluded.version, updated_at = excluded.updated_at
      returning *)
    ${versionsOf(tx, change, 'restored')}`
}

type VersionRef = Row<'secret_versions', 'path' | 'version' | 'type'> & { id: string }

/** Stores a version of each secret `s` of the enclosing statement. */
const versionsOf = (
  tx: Transaction,
  { actor, at }: Change,
  event: Row<'secret_versions', 'event'>['event'],
) => tx`
  insert into secret_versions (secret_id, version, organisation_id, app_id, environment_id, event, path, key, key_digest,
    value, comment, tags, type, expires_at, actor_type, actor_id, actor_name, created_at)
  select s.id, s.version, s.organisation_id, s.app_id, s.environment_id, ${event}, s.path, s.key, s.key_digest, s.value,
    s.comment, s.tags, s.type, s.expires_at, ${actor.type}, ${actor.id}, ${actor.name}, ${at}
  from s
  returning secret_id as id, path, version, type`

function secretOf(row: FoundSecret): SecretRow {
  const { id, environment_id, path, key, key_digest, value, comment, tags, type, version } = row
  const { expires_at, created_at, updated_at } = row
  const secret = { id, environment_id, path, key, key_digest, value, comment, tags, type, version }
  return { ...secret, expires_at, created_at, updated_at, override: overrideOf(row) }
}

function overrideOf(row: FoundSecret): OverrideRow | null {
  if (row.override_id === null) return null
  return {
    id: row.override_id,
    secret_id: row.override_secret_id,
    value: row.override_value,
    is_active: row.override_is_active,
    created_at: row.override_created_at,
    updated_at: row.override_updated_at,
  } as OverrideRow
}
