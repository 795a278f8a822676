import { oneOf, textOf } from '../shell/search.ts'
import type { AppsSearch } from './queries.ts'

/** The search and the order in an address. */
export const appsSearch = (search: Record<string, unknown>): AppsSearch => ({
  ...textOf(search, 'q'),
  ...oneOf(search, 'sort', ['name', '-name', 'created_at', '-created_at']),
})
