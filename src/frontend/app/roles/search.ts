import { oneOf, textOf } from '../shell/search.ts'
import type { RolesSearch } from './queries.ts'

/** The search and the order in an address. */
export const rolesSearch = (search: Record<string, unknown>): RolesSearch => ({
  ...textOf(search, 'q'),
  ...oneOf(search, 'sort', ['name', '-name', 'created_at', '-created_at']),
})

/** The role that a new one begins as, in an address. */
export const newRoleSearch = (search: Record<string, unknown>): { from?: string } => textOf(search, 'from')
