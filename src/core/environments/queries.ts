import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { canAccessApp, canAccessEnvironment } from '../apps/access-conditions.ts'
import { findById, written } from '../rows.ts'
import type { Row } from '../tables.ts'
import type { EnvironmentRow } from './environment.ts'

/** An environment with its app. */
export type EnvironmentOfApp = EnvironmentRow & Row<'environments', 'app_id'> & Readonly<{ app_name: string }>

type NewEnvironment = Row<
  'environments',
  | 'id'
  | 'organisation_id'
  | 'app_id'
  | 'name'
  | 'name_key'
  | 'env_type'
  | 'index'
  | 'public_key'
  | 'wrapped_seed'
  | 'wrapped_salt'
  | 'created_at'
  | 'updated_at'
>

/** A principal's copy of an environment's keys. */
export type NewKeyCopy = Row<
  'environment_keys',
  'principal_id' | 'app_id' | 'environment_id' | 'wrapped_seed' | 'wrapped_salt'
>

/** The columns of an environment `e`. */
export const columns = (db: Queryable) => db`e.id, e.name, e.env_type, e.index, e.created_at, e.updated_at`

/** One environment that the actor can access; undefined when there is none, also for a malformed id. */
export const find = (db: Queryable, actor: Actor, id: string): Promise<EnvironmentOfApp | undefined> =>
  findById(
    id,
    () => db<EnvironmentOfApp[]>`
      select ${columns(db)}, a.id as app_id, a.name as app_name
      from environments e join apps a on a.organisation_id = e.organisation_id and a.id = e.app_id
      where e.organisation_id = ${actor.organisation.id} and e.id = ${id} and ${canAccessEnvironment(db, actor)}`,
  )

/** An app that the actor can access, and the index that its next environment gets; undefined when there is none. */
export const findApp = (tx: Transaction, actor: Actor, id: string) =>
  findById(
    id,
    () => tx<(Row<'apps', 'id' | 'name'> & { next_index: number })[]>`
      select a.id, a.name, (
        select coalesce(max(e.index) + 1, 0) from environments e
        where e.organisation_id = a.organisation_id and e.app_id = a.id) as next_index
      from apps a
      where a.organisation_id = ${actor.organisation.id} and a.id = ${id} and ${canAccessApp(tx, actor)}`,
  )

/** The principals that get a copy of a new environment's keys: those with global access, and its creator. */
export const principalsForNewEnvironments = (tx: Transaction, organisationId: string, creatorId: string) =>
  tx<Row<'principals', 'id' | 'identity_key'>[]>`
    select id, identity_key from principals
    where organisation_id = ${organisationId} and (role_kind in ('owner', 'admin') or id = ${creatorId})`

/** How many environments the organisation has, and how many the actor is granted. */
export const counts = async (tx: Transaction, actor: Actor): Promise<{ all: number; own: number }> =>
  written(
    await tx<{ all: number; own: number }[]>`
      select (select count(*)::int from environments where organisation_id = ${actor.organisation.id}) as all,
        (select count(*)::int from grants where principal_id = ${actor.id}) as own`,
  )

/** Stores new environments; gives them as they are stored, by their index. */
export const insert = (tx: Transaction, rows: readonly NewEnvironment[]) =>
  tx<EnvironmentRow[]>`
    with e as (insert into environments ${tx(rows as NewEnvironment[])} returning *)
    select ${columns(tx)} from e order by e.index`

/** Gives an environment another name; gives it as it is stored. */
export const rename = async (
  tx: Transaction,
  id: string,
  name: string,
  nameKey: string,
  at: Date,
): Promise<EnvironmentRow> =>
  written(
    await tx<EnvironmentRow[]>`
      with e as (
        update environments set name = ${name}, name_key = ${nameKey}, updated_at = ${at} where id = ${id} returning *)
      select ${columns(tx)} from e`,
  )

/** Deletes an environment with every grant and every key copy of it. */
export const remove = (tx: Transaction, id: string) => tx`delete from environments where id = ${id}`

/** Stores copies of environment keys, in one statement. There must be one at least. */
export const insertKeyCopies = (
  tx: Transaction,
  organisationId: string,
  copies: readonly NewKeyCopy[],
  at: Date,
) => {
  // The driver would quote each element of an array: with thousands, others would wait for it.
  const column = (name: keyof NewKeyCopy) =>
    tx`string_to_array(${copies.map((copy) => copy[name]).join(',')}, ',')`
  return tx`
    insert into environment_keys
      (organisation_id, principal_id, app_id, environment_id, wrapped_seed, wrapped_salt, created_at)
    select ${organisationId}, principal_id, app_id, environment_id, wrapped_seed, wrapped_salt, ${at}
    from unnest(
      ${column('principal_id')}::uuid[], ${column('app_id')}::uuid[], ${column('environment_id')}::uuid[],
      ${column('wrapped_seed')}, ${column('wrapped_salt')}
    ) as copy (principal_id, app_id, environment_id, wrapped_seed, wrapped_salt)`
}

/** The principals that hold a copy of an environment's keys. */
export const principalsWithCopies = (tx: Transaction, environmentId: string) =>
  tx<Row<'principals', 'id' | 'identity_key'>[]>`
    select p.id, p.identity_key from environments e
    join environment_keys k
      on k.organisation_id = e.organisation_id and k.app_id = e.app_id and k.environment_id = e.id
    join principals p on p.id = k.principal_id
    where e.id = ${environmentId}`

/** Gives an environment other keys. */
export const replaceKeys = (
  tx: Transaction,
  id: string,
  {
    public_key,
    wrapped_seed,
    wrapped_salt,
  }: Row<'environments', 'public_key' | 'wrapped_seed' | 'wrapped_salt'>,
) => tx`
    update environments
    set public_key = ${public_key}, wrapped_seed = ${wrapped_seed}, wrapped_salt = ${wrapped_salt}
    where id = ${id}`

/** Replaces copies of environment keys, which stay the same rows: overrides of secrets depend on them. */
export const replaceKeyCopies = (tx: Transaction, copies: readonly NewKeyCopy[]) => tx`
  update environment_keys k
  set wrapped_seed = c.wrapped_seed, wrapped_salt = c.wrapped_salt
  from jsonb_to_recordset(${tx.json(copies as never)})
    as c (principal_id uuid, environment_id uuid, wrapped_seed text, wrapped_salt text)
  where k.principal_id = c.principal_id and k.environment_id = c.environment_id`
