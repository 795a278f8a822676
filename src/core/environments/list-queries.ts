import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { canAccessApp, canAccessEnvironment } from '../apps/access-conditions.ts'
import type { Filter } from '../filters.ts'
import { isId } from '../id.ts'
import type { PageRange } from '../pagination.ts'
import { countOf } from '../rows.ts'
import { type Order, type Orders, orderBy, ordered } from '../sorting.ts'
import type { Row } from '../tables.ts'
import type { EnvironmentRow } from './environment.ts'
import { columns } from './queries.ts'

/** An environment in a list, with what lists are ordered by. */
export type EnvironmentListRow = EnvironmentRow & Row<'environments', 'name_key'>

/** The orders of the list of an app's environments: new ones come last by index, so that is oldest first. */
export const ENVIRONMENT_ORDERS = {
  own: [{ name: 'e.index', type: 'int', value: (row) => String(row.index) }],
  name: [{ name: 'e.name_key', type: 'text', value: (row) => row.name_key }],
  created_at: [
    { name: 'e.created_at', type: 'timestamptz', value: (row) => new Date(row.created_at).toISOString() },
    { name: 'e.index', type: 'int', value: (row) => String(row.index) },
  ],
} as const satisfies Orders<EnvironmentListRow>

/**
 * The environments of an app that the actor can access and that pass the filter, in an order. Undefined when the actor can
 * access no such app, also for a malformed id.
 */
export async function list(
  db: Queryable,
  actor: Actor,
  { appId, filter }: Readonly<{ appId: string; filter: Filter }>,
  order: Order<EnvironmentListRow>,
  range: PageRange,
): Promise<EnvironmentListRow[] | undefined> {
  if (!isId(appId)) return undefined
  const rows = await db<(EnvironmentListRow | { id: null })[]>`
    select e.* from apps a left join lateral (
      select ${columns(db)}, e.name_key from environments e
      where ${conditions(db, actor, filter)} ${ordered(db, order, range)}
    ) e on true
    where a.organisation_id = ${actor.organisation.id} and a.id = ${appId} and ${canAccessApp(db, actor)}
    ${orderBy(db, order)}`
  return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null)
}

/** How many environments of an app the actor can access that pass the filter. */
export const count = (db: Queryable, actor: Actor, appId: string, filter: Filter): Promise<number> =>
  countOf(db`
    select count(*)::int as count from apps a
    join environments e on ${conditions(db, actor, filter)}
    where a.organisation_id = ${actor.organisation.id} and a.id = ${appId}`)

const conditions = (db: Queryable, actor: Actor, { search }: Filter) => db`
  e.organisation_id = a.organisation_id and e.app_id = a.id and ${canAccessEnvironment(db, actor)}
  ${search === null ? db`` : db`and strpos(e.name_key, ${search.key}) > 0`}`
