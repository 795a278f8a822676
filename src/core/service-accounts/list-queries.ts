import type { Queryable } from '../../platform/postgres/database.ts'
import type { Filter } from '../filters.ts'
import { accessibleEnvironments } from '../grants/accessible-apps.ts'
import type { PageRange } from '../pagination.ts'
import { BY_ROLE, holdersByRole, holds } from '../roles/role-order.ts'
import { countOf } from '../rows.ts'
import { creationColumns, type Order, type Orders, ordered } from '../sorting.ts'
import type { Row } from '../tables.ts'
import { columns, serviceAccounts } from './queries.ts'
import type { ListedServiceAccountRow } from './service-account.ts'

/** A service account in a list, with what lists are ordered by. */
export type ServiceAccountListRow = ListedServiceAccountRow &
  Row<'service_accounts', 'name_key'> &
  Readonly<{ role_name_key: string }>

const created = creationColumns<ServiceAccountListRow>('s')

/** The orders of the list of service accounts. */
export const SERVICE_ACCOUNT_ORDERS = {
  own: created,
  name: [
    { name: 's.name_key', type: 'text', value: (row) => row.name_key },
    { name: 's.id', type: 'uuid', value: (row) => row.id },
  ],
  role: BY_ROLE,
  created_at: created,
} as const satisfies Orders<ServiceAccountListRow>

/** The service accounts of an organisation that pass the filter, in an order; with what their tokens tell if asked to. */
export function list(
  db: Queryable,
  organisationId: string,
  { filter, withTokens }: Readonly<{ filter: Filter; withTokens: boolean }>,
  order: Order<ServiceAccountListRow>,
  range: PageRange,
) {
  const isByRole = order.columns === BY_ROLE
  const first = filter.roleId !== null || isByRole ? 'principal' : 'account'
  const select = db`
    select ${columns(db)}, s.name_key, r.name_key as role_name_key,
      ${accessibleEnvironments(db, organisationId)} as accessible_environments
      ${withTokens ? db`, t.count as token_count, t.last_used_at` : db``}
    from ${serviceAccounts(db, 'service_accounts', first)} ${withTokens ? tokens(db) : db``}`
  const where = conditions(db, organisationId, filter)
  const looksAtAll = range.limit === null || filter.search !== null
  if (isByRole && !looksAtAll) {
    const holders = { type: 'service_account', select, where } as const
    return db<ServiceAccountListRow[]>`${holdersByRole(db, organisationId, holders, range, order.descending)}`
  }
  return db<ServiceAccountListRow[]>`${select} where ${where} ${ordered(db, order, range)}`
}

/** How many service accounts of an organisation pass the filter. */
export const countMatching = (db: Queryable, organisationId: string, filter: Filter): Promise<number> =>
  countOf(db`
    select count(*)::int as count
    from ${filter.roleId === null ? db`service_accounts s` : serviceAccounts(db, 'service_accounts', 'principal')}
    where ${conditions(db, organisationId, filter)}`)

/** What is told of the tokens of service accounts `s`. */
const tokens = (db: Queryable) => db`
  cross join lateral (
    select count(*)::int as count, max(last_used_at) as last_used_at from tokens where principal_id = s.id
  ) t`

const conditions = (db: Queryable, organisationId: string, { search, roleId }: Filter) => db`
  s.organisation_id = ${organisationId}
  ${search === null ? db`` : db`and strpos(s.name_key, searchable(${search.text})) > 0`}
  ${roleId === null ? db`` : holds(db, organisationId, 'service_account', roleId)}`
