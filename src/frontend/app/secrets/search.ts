import { oneOf, textOf } from '../shell/search.ts'
import type { Selection } from './secret-rows.ts'

/** What the address of the grid selects. It holds names and never values. */
export const secretsSearch = (search: Record<string, unknown>): Selection => ({
  ...textOf({ path: String(search.path).startsWith('/') ? search.path : undefined }, 'path'),
  ...textOf(search, 'tag'),
  ...textOf(search, 'q'),
  ...oneOf(search, 'show', ['missing', 'different']),
})

/** Which version the address shows, and with which one it is compared. */
export type VersionSearch = { version?: number; with?: number }

/** The versions that the address of a secret's history names. */
export function versionSearch({ version, with: other }: Record<string, unknown>): VersionSearch {
  return { ...(isVersion(version) && { version }), ...(isVersion(other) && { with: other }) }
}

const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
