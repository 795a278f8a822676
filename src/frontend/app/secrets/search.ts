import type { Selection } from './secret-rows.ts'

/** What the address of the grid selects. It holds names and never values. */
export function secretsSearch({ path, tag, q, show }: Record<string, unknown>): Selection {
  return {
    ...(isText(path) && path.startsWith('/') && { path }),
    ...(isText(tag) && { tag }),
    ...(isText(q) && { q }),
    ...((show === 'missing' || show === 'different') && { show }),
  }
}

/** Which version the address shows, and with which one it is compared. */
export type VersionSearch = { version?: number; with?: number }

/** The versions that the address of a secret's history names. */
export function versionSearch({ version, with: other }: Record<string, unknown>): VersionSearch {
  return { ...(isVersion(version) && { version }), ...(isVersion(other) && { with: other }) }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
