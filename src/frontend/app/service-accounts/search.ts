import { oneOf, textOf } from '../shell/search.ts'

/** What the list of service accounts shows: a search, a role, and a field with `-` before it for descending. */
export type AccountsSearch = { q?: string; role?: string; sort?: AccountSort }

const SORTS = ['name', '-name', 'role', '-role', 'created_at', '-created_at'] as const
export type AccountSort = (typeof SORTS)[number]

/** Reads the address; what it can't mean is left out. */
export const accountsSearch = (search: Record<string, unknown>): AccountsSearch => ({
  ...textOf(search, 'q'),
  ...textOf(search, 'role'),
  ...oneOf(search, 'sort', SORTS),
})
