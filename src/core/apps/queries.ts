import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import type { Filter } from '../filters.ts'
import type { PageRange } from '../pagination.ts'
import { countOf, findById, written } from '../rows.ts'
import { creationColumns, type Order, type Orders, ordered } from '../sorting.ts'
import type { Row } from '../tables.ts'
import { canAccessApp, canAccessEnvironment } from './access-conditions.ts'
import type { AppRow, AppValues } from './app.ts'

const columns = (db: Queryable, actor: Actor) => db`
  a.id, a.name, a.description, a.sse_enabled, a.created_at, a.updated_at,
  (select coalesce(json_agg(json_build_object('id', e.id, 'name', e.name, 'env_type', e.env_type,
      'index', e.index, 'created_at', e.created_at, 'updated_at', e.updated_at) order by e.index), '[]')
    from environments e
    where e.organisation_id = a.organisation_id and e.app_id = a.id and ${canAccessEnvironment(db, actor)}
  ) as environments`

/** An app in a list, with what lists are ordered by. */
export type AppListRow = AppRow & Row<'apps', 'name_key'>

const created = creationColumns<AppListRow>('a')

/** The orders of the list of apps. */
export const APP_ORDERS = {
  own: created,
  name: [{ name: 'a.name_key', type: 'text', value: (row) => row.name_key }],
  created_at: created,
} as const satisfies Orders<AppListRow>

/** The apps that the actor can access and that pass the filter, in an order. */
export const list = (
  db: Queryable,
  actor: Actor,
  filter: Filter,
  order: Order<AppListRow>,
  range: PageRange,
) => db<AppListRow[]>`
    select ${columns(db, actor)}, a.name_key from apps a
    where ${conditions(db, actor, filter)} ${ordered(db, order, range)}`

/** How many apps the actor can access that pass the filter. */
export const count = (db: Queryable, actor: Actor, filter: Filter): Promise<number> =>
  countOf(db`select count(*)::int as count from apps a where ${conditions(db, actor, filter)}`)

/** How many apps the organisation has. */
export const countAll = (tx: Transaction, organisationId: string): Promise<number> =>
  countOf(tx`select count(*)::int as count from apps where organisation_id = ${organisationId}`)

/** How many bytes the descriptions of the organisation's apps have as JSON. */
export const allDescriptionBytes = (tx: Transaction, organisationId: string): Promise<number> =>
  countOf(tx`
    select coalesce(sum(octet_length(to_json(description)::text)), 0)::int as count from apps
    where organisation_id = ${organisationId}`)

const conditions = (db: Queryable, actor: Actor, { search }: Filter) => db`
  a.organisation_id = ${actor.organisation.id} and ${canAccessApp(db, actor)}
  ${search === null ? db`` : db`and strpos(a.name_key, ${search.key}) > 0`}`

/** One app that the actor can access; undefined when there is none, also for a malformed id. */
export const find = (db: Queryable, actor: Actor, id: string): Promise<AppRow | undefined> =>
  findById(
    id,
    () => db<AppRow[]>`
      select ${columns(db, actor)} from apps a
      where a.organisation_id = ${actor.organisation.id} and a.id = ${id} and ${canAccessApp(db, actor)}`,
  )

type NewApp = Row<
  'apps',
  'id' | 'organisation_id' | 'name' | 'name_key' | 'description' | 'sse_enabled' | 'created_at' | 'updated_at'
>

/** Stores a new app; gives it as it is stored. */
export const insert = async (tx: Transaction, actor: Actor, app: NewApp): Promise<AppRow> =>
  written(
    await tx<AppRow[]>`
      with a as (insert into apps ${tx(app)} returning *)
      select ${columns(tx, actor)} from a`,
  )

/** Replaces the fields of an app that can be set; gives it as it is stored, with the environments that the actor can access. */
export const update = async (
  tx: Transaction,
  actor: Actor,
  id: string,
  nameKey: string,
  values: AppValues,
  at: Date,
): Promise<AppRow> =>
  written(
    await tx<AppRow[]>`
      with a as (
        update apps set name = ${values.name}, name_key = ${nameKey}, description = ${values.description},
          sse_enabled = ${values.sse_enabled}, updated_at = ${at}
        where id = ${id}
        returning *)
      select ${columns(tx, actor)} from a`,
  )

/** Every environment of an app, also those that the actor can't access. */
export const allEnvironments = (tx: Transaction, organisationId: string, appId: string) =>
  tx<Row<'environments', 'id' | 'name' | 'env_type'>[]>`
    select id, name, env_type from environments
    where organisation_id = ${organisationId} and app_id = ${appId} order by index`

/** How many key copies and overrides of secrets each environment of an app has. */
export const countsByEnvironment = (db: Queryable, organisationId: string, appId: string) =>
  db<(Row<'environments', 'id'> & { copies: number; overrides: number })[]>`
    select environment_id as id, count(*)::int as copies,
      (select count(*)::int from secret_overrides o where o.environment_id::text = k.environment_id::text) as overrides
    from environment_keys k
    where organisation_id = ${organisationId} and app_id = ${appId}
    group by environment_id`

/** Deletes environments, and every grant and key copy of them. */
export const removeEnvironments = (tx: Transaction, ids: readonly string[]) =>
  tx`delete from environments where id = any(${[...ids]}::uuid[])`

/** Deletes an app with its environments, and every grant and key copy of them. */
export const remove = (tx: Transaction, id: string) => tx`delete from apps where id = ${id}`
