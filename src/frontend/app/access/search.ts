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

const WHO = ['people', 'machines'] as const
const TYPES = ['dev', 'staging', 'prod', 'custom'] as const
const VIAS = ['role', 'grant'] as const

/** Reads the address; what it can't mean is left out. */
export function accessSearch({ app, role, who, type, via, q, apps }: Record<string, unknown>): AccessSearch {
  return {
    ...(isText(app) && { app: String(app) }),
    ...(isText(role) && { role: String(role) }),
    ...(isOneOf(WHO, who) && { who }),
    ...(isOneOf(TYPES, type) && { type }),
    ...(isOneOf(VIAS, via) && { via }),
    ...(isText(q) && { q: String(q) }),
    ...(typeof apps === 'number' && Number.isInteger(apps) && apps > 0 && { apps }),
  }
}

const isText = (value: unknown): value is string | number =>
  (typeof value === 'string' && value.trim() !== '') || typeof value === 'number'

const isOneOf = <V extends string>(values: readonly V[], value: unknown): value is V =>
  values.some((known) => known === value)
