import type { Fragment, Queryable } from '../../platform/postgres/database.ts'
import { limitClause, type PageRange } from '../pagination.ts'
import type { SortColumn } from '../sorting.ts'

/** A row of `holdersByRole`: the rest of its columns are those of the holder. */
type HolderRow = Readonly<{ id: string; role_name_key: string }>

/** The order of principals `p` with roles `r`: by the role's name, and then by their ids. */
export const BY_ROLE: readonly SortColumn<HolderRow>[] = [
  { name: 'r.name_key', type: 'text', value: (row) => row.role_name_key },
  { name: 'p.id', type: 'uuid', value: (row) => row.id },
]

/**
 * Members or service accounts in the order `BY_ROLE`: `select` gives the columns and tables of principals `p` with role `r`,
 * `where` the conditions on them. A page is read of each role, one role after the other, until the page is full: never all
 * holders of a role that has thousands. Not for conditions that few meet: that would look for each holder by itself.
 */
export function holdersByRole(
  db: Queryable,
  organisationId: string,
  {
    type,
    select,
    where,
  }: Readonly<{ type: 'member' | 'service_account'; select: Fragment; where: Fragment }>,
  range: PageRange,
  descending: boolean,
): Fragment {
  const direction = descending ? db`desc` : db``
  const [after, ofRole] = cursorConditions(db, range, descending)
  return db`
    select holder.* from roles role cross join lateral (
      ${select} where p.organisation_id = ${organisationId} and p.role_id = role.id and p.type = ${type}
        and ${where} ${after}
      order by p.id ${direction} ${limitClause(db, range)}
    ) holder
    where role.organisation_id = ${organisationId} ${ofRole}
    order by role.name_key ${direction}, holder.id ${direction} ${limitClause(db, range)}`
}

/** The condition on principals `p` of a type that they hold a role, with its `and`. */
export const holds = (
  db: Queryable,
  organisationId: string,
  type: 'member' | 'service_account',
  roleId: string,
): Fragment => db`
  and p.organisation_id = ${organisationId} and p.role_id = ${roleId} and p.type = ${type}`

/** What the holders and the roles after a cursor have. The ids compare with one value each, so that an index finds them. */
function cursorConditions(db: Queryable, { after }: PageRange, descending: boolean): [Fragment, Fragment] {
  if (after === null) return [db``, db``]
  const [name = '', id = ''] = after
  return descending
    ? [
        db`and p.id < case when role.name_key = ${name} then ${id}::uuid else ${LAST_ID}::uuid end`,
        db`and role.name_key <= ${name}`,
      ]
    : [
        db`and p.id > case when role.name_key = ${name} then ${id}::uuid else ${FIRST_ID}::uuid end`,
        db`and role.name_key >= ${name}`,
      ]
}

/** Ids that no row has: random ones are of version 4. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
