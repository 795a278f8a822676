import type { Queryable } from '../../platform/postgres/database.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import { canAccessApp, canAccessEnvironment } from '../apps/access-conditions.ts'
import type { Filter } from '../filters.ts'
import { isId } from '../id.ts'
import type { PageRange } from '../pagination.ts'
import { countOf } from '../rows.ts'
import { type Order, type Orders, orderBy, ordered } from '../sorting.ts'
import type { Row } from '../tables.ts'
import type { CountsRow, EnvironmentRow } from './environment.ts'
import { columns } from './queries.ts'

/** An environment in a list, with what lists are ordered by. */
export type EnvironmentListRow = EnvironmentRow & CountsRow & Row<'environments', 'name_key'>

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
 * The environments of an app that the actor can access and that pass the filter, in an order; with what the actor may read of
 * their contents and of who can open them. Undefined when the actor can
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
  const countsSecrets = can(actor, 'read', 'Secrets', 'appPermissions')
  const countsHolders = can(actor, 'read', 'Members')
  const rows = await db<(EnvironmentListRow | { id: null })[]>`
    select ${columns(db)}, e.name_key ${countsSecrets ? secretCounts(db) : db``}
      ${countsHolders ? holderCounts(db, actor.organisation.id) : db``}
    from apps a
    -- The page first: its environments alone are counted in.
    left join lateral (
      select e.* from environments e where ${conditions(db, actor, filter)} ${ordered(db, order, range)}
    ) e on true
    ${countsHolders ? grantedTo(db) : db``}
    where a.organisation_id = ${actor.organisation.id} and a.id = ${appId} and ${canAccessApp(db, actor)}
    ${orderBy(db, order)}`
  return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null)
}

const secretCounts = (db: Queryable) => db`,
  (select count(*)::int from secrets s where s.environment_id = e.id) as secret_count, e.secrets_changed_at`

/** Whoever has global access can open every environment, and is a member. */
const holderCounts = (db: Queryable, organisationId: string) => db`,
  granted.people_count + (
    select count(*)::int from principals
    where organisation_id = ${organisationId} and role_kind in ('owner', 'admin')) as people_count,
  granted.machine_count`

const grantedTo = (db: Queryable) => db`
  cross join lateral (
    select count(*) filter (where p.type = 'member')::int as people_count,
      count(*) filter (where p.type = 'service_account')::int as machine_count
    from grants g join principals p on p.id = g.principal_id
    where g.organisation_id = e.organisation_id and g.app_id = e.app_id and g.environment_id = e.id
      and p.role_kind not in ('owner', 'admin')
  ) granted`

/** How many environments of an app the actor can access that pass the filter. */
export const count = (db: Queryable, actor: Actor, appId: string, filter: Filter): Promise<number> =>
  countOf(db`
    select count(*)::int as count from apps a
    join environments e on ${conditions(db, actor, filter)}
    where a.organisation_id = ${actor.organisation.id} and a.id = ${appId}`)

const conditions = (db: Queryable, actor: Actor, { search }: Filter) => db`
  e.organisation_id = a.organisation_id and e.app_id = a.id and ${canAccessEnvironment(db, actor)}
  ${search === null ? db`` : db`and strpos(e.name_key, ${search.key}) > 0`}`
