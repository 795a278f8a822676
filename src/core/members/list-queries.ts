import type { Queryable } from '../../platform/postgres/database.ts'
import type { Filter } from '../filters.ts'
import { accessibleEnvironments } from '../grants/accessible-apps.ts'
import type { PageRange } from '../pagination.ts'
import { BY_ROLE, holdersByRole, holds } from '../roles/role-order.ts'
import { countOf } from '../rows.ts'
import { creationColumns, type Order, type Orders, ordered } from '../sorting.ts'
import type { Row } from '../tables.ts'
import type { ListedMemberRow } from './member.ts'
import { activeMembers, columns } from './queries.ts'

/** Which members a list has; `withoutAccess` leaves out who can open an environment, and who has global access. */
export type MemberFilter = Filter & Readonly<{ withoutAccess: boolean }>

/** A member in a list, with what lists are ordered by. */
export type MemberListRow = ListedMemberRow &
  Row<'users', 'email_key' | 'sort_name'> &
  Readonly<{ role_name_key: string }>

const created = creationColumns<MemberListRow>('m')

/** The orders of the list of members. */
export const MEMBER_ORDERS = {
  own: created,
  name: [
    { name: 'u.sort_name', type: 'text', value: (row) => row.sort_name },
    { name: 'u.id', type: 'uuid', value: (row) => row.user_id },
  ],
  email: [{ name: 'u.email_key', type: 'text', value: (row) => row.email_key }],
  role: BY_ROLE,
  created_at: created,
  last_seen_at: [
    {
      name: 'm.last_seen_at',
      type: 'timestamptz',
      value: (row) => row.last_seen_at?.toISOString() ?? '-infinity',
    },
    { name: 'm.id', type: 'uuid', value: (row) => row.id },
  ],
} as const satisfies Orders<MemberListRow>

/** The active members of an organisation that pass the filter, in an order. */
export function list(
  db: Queryable,
  organisationId: string,
  filter: MemberFilter,
  order: Order<MemberListRow>,
  range: PageRange,
) {
  const select = db`
    select ${columns(db)}, nullif(m.last_seen_at, '-infinity') as last_seen_at,
      u.email_key, u.sort_name, r.name_key as role_name_key,
      ${accessibleEnvironments(db, organisationId)} as accessible_environments
    from ${activeMembers(db, 'members', firstOf(filter, order))}`
  const where = conditions(db, organisationId, filter)
  const looksAtAll = range.limit === null || filter.search !== null || filter.withoutAccess
  if (order.columns === BY_ROLE && !looksAtAll) {
    const holders = { type: 'member', select, where } as const
    return db<MemberListRow[]>`${holdersByRole(db, organisationId, holders, range, order.descending)}`
  }
  return db<MemberListRow[]>`${select} where ${where} ${ordered(db, order, range)}`
}

/**
 * Holders of one role are found by it. In the order of names or addresses, all members are looked up: by the indexes of users
 * one would pass over whoever has registered and is no member, of whom there may be any number.
 */
const firstOf = ({ roleId }: MemberFilter, { columns }: Order<MemberListRow>) =>
  roleId !== null || columns === BY_ROLE ? 'principal' : 'member'

/** How many active members of an organisation pass the filter. Each has a principal, which tells of its role. */
export function count(db: Queryable, organisationId: string, filter: MemberFilter): Promise<number> {
  const { search, roleId, withoutAccess } = filter
  if (search === null && (roleId !== null || withoutAccess)) {
    return countOf(db`
      select count(*)::int as count from principals p
      where p.organisation_id = ${organisationId} and p.type = 'member' ${ofPrincipal(db, organisationId, filter)}`)
  }
  const tables =
    search === null ? db`members m` : activeMembers(db, 'members', roleId === null ? 'member' : 'principal')
  return countOf(db`
    select count(*)::int as count from ${tables} where ${conditions(db, organisationId, filter)}`)
}

const conditions = (db: Queryable, organisationId: string, filter: MemberFilter) => db`
  m.organisation_id = ${organisationId} and m.removed_at is null
  ${
    filter.search === null
      ? db``
      : db`and (strpos(u.name_key, searchable(${filter.search.text})) > 0 or strpos(u.email_key, ${filter.search.key}) > 0)`
  }
  ${ofPrincipal(db, organisationId, filter)}`

/** The conditions on principals `p`, each with its `and`. */
const ofPrincipal = (db: Queryable, organisationId: string, { roleId, withoutAccess }: MemberFilter) => db`
  ${roleId === null ? db`` : holds(db, organisationId, 'member', roleId)}
  ${withoutAccess ? withoutGrants(db) : db``}`

/**
 * One look for each: `not exists` would read all grants, of which there are many times as many as members. The order has
 * the look go by the index: where most grants are those of a few, the planner expects one at once wherever it looks.
 */
const withoutGrants = (db: Queryable) => db`
  and p.role_kind not in ('owner', 'admin')
  and (select 1 from grants g where g.principal_id = p.id order by g.environment_id limit 1) is null`
