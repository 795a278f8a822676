import { oneOf, textOf } from '../shell/search.ts'

/** What the address says of the overview. */
export type AccessSearch = {
  /** The id of an app. */
  app?: string
  /** The id of a role. */
  role?: string
  /** People or machines only. */
  who?: 'people' | 'machines'
  /** The type of environments. */
  type?: 'dev' | 'staging' | 'prod' | 'custom'
  via?: 'role' | 'grant'
  /** A text in the names of people and machines. */
  q?: string
  /** How many apps are shown, where it is not one. */
  apps?: number
}

/** A change of the overview in the address; undefined takes something out of it. */
export type AccessSearchChange = { [K in keyof AccessSearch]?: AccessSearch[K] | undefined }

/** Reads the address; what it can't mean is left out. */
export const accessSearch = (search: Record<string, unknown>): AccessSearch => ({
  ...textOf(search, 'app'),
  ...textOf(search, 'role'),
  ...oneOf(search, 'who', ['people', 'machines']),
  ...oneOf(search, 'type', ['dev', 'staging', 'prod', 'custom']),
  ...oneOf(search, 'via', ['role', 'grant']),
  ...textOf(search, 'q'),
  ...(Number.isSafeInteger(search.apps) && Number(search.apps) > 0 && { apps: Number(search.apps) }),
})
