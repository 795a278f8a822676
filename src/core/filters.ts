import type { ListRequest } from './contract/lists.ts'
import { badRequest } from './errors.ts'
import { isId } from './id.ts'
import type { Order } from './sorting.ts'
import { nameKey, normaliseName } from './text.ts'

/**
 * What a list is restricted to: names that hold a text, as it was sent for what the database compares with, and as `nameKey`
 * has it; and holders of a role.
 */
export type Filter = Readonly<{
  search: Readonly<{ text: string; key: string }> | null
  roleId: string | null
}>

/** Restricts nothing. */
export const EVERYTHING: Filter = { search: null, roleId: null }

/** The filter of a request. 400 for a text to look for that is only white space. */
export function filterOf({ q, role_id }: ListRequest): Filter {
  const search = q === undefined ? null : { text: normaliseName(q), key: nameKey(q) }
  if (search?.key === '') throw badRequest('q must not be blank.')
  return { search, roleId: role_id?.toLowerCase() ?? null }
}

/** Whether anything can pass a filter: nothing has a role whose id is malformed. */
export const canMatch = ({ roleId }: Filter): boolean => roleId === null || isId(roleId)

/** A list's name with its filter, its order and what else restricts it, to which its cursors belong. */
export function filteredName(
  list: string,
  { search, roleId }: Filter,
  { sort }: Pick<Order<never>, 'sort'>,
  others: Readonly<Record<string, string | undefined>> = {},
): string {
  const values = { q: search?.key, roleId, sort, ...others }
  const set = Object.entries(values).filter(([, value]) => value !== null && value !== undefined)
  return set.length === 0 ? list : `${list}?${JSON.stringify(set)}`
}
