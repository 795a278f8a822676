import type { AccessApp, AccessEnvironment } from './matrix.ts'
import type { Pair, PairsOfApp } from './overview-queries.ts'
import type { AccessSearch } from './search.ts'

/*
 * The overview: people and machines down, the environments of some apps across. Pure. What was not read yet is shown as
 * such, never as closed.
 */

/** How somebody can open an environment: by role, by a grant, not at all, or not read yet. */
export type Mark = 'r' | 'g' | '-' | '?'

/** A person or machine with its marks, one for each column. */
export type OverviewRow = Readonly<{
  id: string
  name: string
  isMachine: boolean
  role: Readonly<{ id: string; name: string }>
  marks: string
  open: number
}>

export type OverviewApp = Readonly<{ id: string; name: string; environments: readonly AccessEnvironment[] }>

/** The apps across, with the environments of the type that is asked for. */
export const appsAcross = (apps: readonly AccessApp[], { type }: AccessSearch): OverviewApp[] =>
  apps
    .map((app) => ({
      ...app,
      environments: app.environments.filter(({ envType }) => type === undefined || envType === type),
    }))
    .filter(({ environments }) => environments.length > 0)

/** The rows of the overview by name: everybody who can open one of the environments, as far as that was read. */
export function overviewRows(
  apps: readonly OverviewApp[],
  read: readonly PairsOfApp[],
  { who, q, via }: AccessSearch,
): OverviewRow[] {
  const principals = new Map<string, { principal: Pair['principal']; via: Map<string, Pair['via']> }>()
  for (const pair of read.flatMap(({ pairs }) => pairs)) {
    const known = principals.get(pair.principal.id) ?? { principal: pair.principal, via: new Map() }
    known.via.set(pair.environmentId, pair.via)
    principals.set(pair.principal.id, known)
  }
  const extents = new Map(read.map((part) => [part.appId, extentOf(part)]))
  const words = q?.trim().toLowerCase() ?? ''
  return [...principals.values()]
    .filter(
      ({ principal }) => who === undefined || (principal.type === 'service_account') === (who === 'machines'),
    )
    .filter(({ principal }) => principal.name.toLowerCase().includes(words))
    .map(({ principal, via: byEnvironment }) => {
      const marks = apps.flatMap((app) =>
        app.environments.map((environment): Mark => {
          const found = byEnvironment.get(environment.id)
          if (found !== undefined)
            return via !== undefined && found !== via ? '-' : found === 'role' ? 'r' : 'g'
          return principal.id < (extents.get(app.id) ?? '') ? '-' : '?'
        }),
      )
      const open = marks.filter((mark) => mark === 'r' || mark === 'g').length
      const { id, name, type, role } = principal
      return { id, name, role, isMachine: type === 'service_account', marks: marks.join(''), open }
    })
    .filter(({ open }) => open > 0)
    .sort((a, b) => collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1))
}

/** How many of the rows can open each column. */
export const totalsOf = (rows: readonly OverviewRow[], columns: number): number[] =>
  Array.from(
    { length: columns },
    (_, column) => rows.filter(({ marks }) => marks[column] === 'r' || marks[column] === 'g').length,
  )

/** Pairs come in the order of their principals' ids: below this id all was read. */
const extentOf = ({ pairs, nextCursor }: PairsOfApp): string =>
  nextCursor === null ? '\uffff' : (pairs.at(-1)?.principal.id ?? '')

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
