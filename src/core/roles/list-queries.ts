import type { Queryable } from '../../platform/postgres/database.ts'
import type { Filter } from '../filters.ts'
import type { PageRange } from '../pagination.ts'
import { countOf } from '../rows.ts'
import { creationColumns, type Order, type Orders, ordered } from '../sorting.ts'
import type { Row } from '../tables.ts'
import type { ListedRoleRow } from './role.ts'

/** A role in a list, with what lists are ordered by. */
export type RoleListRow = ListedRoleRow & Row<'roles', 'name_key'>

/** Whose numbers a list tells: those that the caller may read. */
export type CountedHolders = Readonly<{ members: boolean; serviceAccounts: boolean }>

const created = creationColumns<RoleListRow>('r')

/** The orders of the list of roles; its own begins with the five defaults. */
export const ROLE_ORDERS = {
  own: [{ name: 'r.position', type: 'int', value: (row) => String(row.position) }, ...created],
  name: [{ name: 'r.name_key', type: 'text', value: (row) => row.name_key }],
  created_at: created,
} as const satisfies Orders<RoleListRow>

/** The roles of an organisation that pass the filter, in an order, with how many hold them. */
export const list = (
  db: Queryable,
  organisationId: string,
  { filter, counted }: Readonly<{ filter: Filter; counted: CountedHolders }>,
  order: Order<RoleListRow>,
  range: PageRange,
) => db<RoleListRow[]>`
    select r.id, r.kind, r.position, r.name, r.name_key, r.description, r.color, r.created_at
      ${counted.members ? db`, ${holders(db, 'member')} as member_count` : db``}
      ${counted.serviceAccounts ? db`, ${holders(db, 'service_account')} as service_account_count` : db``}
    from roles r where ${conditions(db, organisationId, filter)} ${ordered(db, order, range)}`

/** How many roles of an organisation pass the filter. */
export const count = (db: Queryable, organisationId: string, filter: Filter): Promise<number> =>
  countOf(db`select count(*)::int as count from roles r where ${conditions(db, organisationId, filter)}`)

const holders = (db: Queryable, type: Row<'principals', 'type'>['type']) => db`
  (select count(*)::int from principals p
    where p.organisation_id = r.organisation_id and p.role_id = r.id and p.type = ${type})`

const conditions = (db: Queryable, organisationId: string, { search }: Filter) => db`
  r.organisation_id = ${organisationId}
  ${search === null ? db`` : db`and strpos(r.name_key, ${search.key}) > 0`}`
