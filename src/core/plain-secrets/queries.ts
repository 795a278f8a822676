import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { isId } from '../id.ts'
import { ownOverride } from '../secrets/own-override.ts'
import type { Row } from '../tables.ts'

/** An environment that the actor can open, with the server's copy of its keys. */
export type EnvironmentWithKeys = Row<
  'environments',
  'id' | 'app_id' | 'name' | 'public_key' | 'wrapped_seed' | 'wrapped_salt'
> &
  Row<'apps', 'sse_enabled'> &
  Readonly<{ app_name: string }>

/** What names an environment in a reference: its app by id or by name, and its own name; names as they are compared. */
export type EnvironmentName = Readonly<{
  app_id: string | null
  app_key: string | null
  environment_key: string
}>

/** What names a secret in a reference. */
export type SecretName = Readonly<{ environment_id: string; path: string; key_digest: string }>

/** A secret that a reference names, with the actor's override where it counts. */
export type ReferencedRow = Row<'secrets', 'id' | 'environment_id' | 'path' | 'type' | 'version' | 'value'> &
  Readonly<{ key_digest: string; public_key: string; override_value: string | null }>

const columns = (db: Queryable) => db`
  e.id, e.app_id, e.name, e.public_key, e.wrapped_seed, e.wrapped_salt, a.sse_enabled, a.name as app_name`

const copiesOf = (db: Queryable, actor: Actor) => db`
  join environment_keys k on k.environment_id = e.id and k.principal_id = ${actor.id}`

/** The environment of this name in an app; undefined where the actor can open none, also for a malformed id. */
export async function findByName(
  db: Queryable,
  actor: Actor,
  appId: string,
  nameKey: string,
): Promise<EnvironmentWithKeys | undefined> {
  if (!isId(appId)) return undefined
  const [row] = await db<EnvironmentWithKeys[]>`
    select ${columns(db)} from apps a
    join environments e on e.organisation_id = a.organisation_id and e.app_id = a.id
    ${copiesOf(db, actor)}
    where a.organisation_id = ${actor.organisation.id} and a.id = ${appId} and e.name_key = ${nameKey}`
  return row
}

/**
 * The environments that these name, by the index of the name: those that the actor can open, of apps with server-side
 * encryption, and at most `most` of them.
 */
export const findByNames = (
  db: Queryable,
  actor: Actor,
  names: readonly EnvironmentName[],
  most: number,
) => db<(EnvironmentWithKeys & { index: number })[]>`
  select n.index::int - 1 as index, found.*
  from rows from (jsonb_to_recordset(${db.json(names as never)}) as (app_id uuid, app_key text, environment_key text))
    with ordinality as n (app_id, app_key, environment_key, index)
  join lateral (
    select ${columns(db)} from apps a
    join environments e on e.organisation_id = a.organisation_id and e.app_id = a.id
    ${copiesOf(db, actor)}
    where a.organisation_id = ${actor.organisation.id} and a.sse_enabled
      and a.id = coalesce(n.app_id, (
        select id from apps where organisation_id = ${actor.organisation.id} and name_key = n.app_key collate "C"))
      and e.name_key = n.environment_key collate "C"
    -- There is at most one. The limit has each name looked up by itself.
    limit 1
  ) found on true
  order by n.index
  limit ${most}`

/** The public keys that environments have now. */
export const publicKeysOf = (db: Queryable, ids: readonly string[]) =>
  db<Row<'environments', 'id' | 'public_key'>[]>`
    select id, public_key from environments where id = any(${[...ids]}::uuid[])`

/** The secrets that these name, as many of them as have `mostCharacters` of ciphertext together. */
export const findReferenced = (
  db: Queryable,
  actor: Actor,
  names: readonly SecretName[],
  mostCharacters: number,
) => db<ReferencedRow[]>`
  select id, environment_id, path, type, version, value, key_digest, public_key, override_value from (
    select s.id, s.environment_id, s.path, s.type, s.version, s.value, encode(s.key_digest, 'hex') as key_digest,
      e.public_key, case when o.is_active then o.value end as override_value,
      sum(octet_length(s.value) + case when o.is_active then octet_length(o.value) else 0 end) over (order by s.id) as characters
    from jsonb_to_recordset(${db.json(names as never)}) as n (environment_id uuid, path text, key_digest text)
    join lateral (
      select * from secrets
      where environment_id = n.environment_id and path = n.path collate "C" and key_digest = decode(n.key_digest, 'hex')
      -- There is at most one, as of what follows. The limits have each looked up by itself.
      limit 1
    ) s on true
    join lateral (select id, public_key from environments where id = s.environment_id limit 1) e on true
    join lateral (
      select true from environment_keys where principal_id = ${actor.id} and environment_id = s.environment_id limit 1
    ) k on true
    ${ownOverride(db, actor)}
  ) found
  where characters <= ${mostCharacters}`
