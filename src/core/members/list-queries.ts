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
    select ${columns(db)}, u.email_key, u.sort_name, r.name_key as role_name_key,
      ${accessibleEnvironments(db, organisationId)} as accessible_environments
    from ${activeMembers(db)}`
  const where = conditions(db, organisationId, filter)
  if (order.columns === BY_ROLE) {
    const holders = { type: 'member', select, where } as const
    return db<MemberListRow[]>`${holdersByRole(db, organisationId, holders, range, order.descending)}`
  }
  return db<MemberListRow[]>`${select} where ${where} ${ordered(db, order, range)}`
}

/** How many active members of an organisation pass the filter. */
export const count = (db: Queryable, organisationId: string, filter: MemberFilter): Promise<number> =>
  countOf(db`
    select count(*)::int as count from members m
    ${filter.search === null ? db`` : db`join users u on u.id = m.user_id`}
    ${filter.roleId === null && !filter.withoutAccess ? db`` : db`join principals p on p.id = m.principal_id`}
    where ${conditions(db, organisationId, filter)}`)

const conditions = (
  db: Queryable,
  organisationId: string,
  { search, roleId, withoutAccess }: MemberFilter,
) => db`
  m.organisation_id = ${organisationId} and m.removed_at is null
  ${
    search === null
      ? db``
      : db`and (strpos(u.name_key, searchable(${search.text})) > 0 or strpos(u.email_key, ${search.key}) > 0)`
  }
  ${roleId === null ? db`` : holds(db, organisationId, 'member', roleId)}
  ${
    withoutAccess
      ? db`and p.role_kind not in ('owner', 'admin') and not exists (select 1 from grants g where g.principal_id = p.id)`
      : db``
  }`
