/*
 * The model of the access matrix: apps down, environments across, lined up by their type. Pure, so that tests ask it
 * without a browser.
 */

export type AccessEnvironment = Readonly<{ id: string; name: string; envType: string }>
export type AccessApp = Readonly<{ id: string; name: string; environments: readonly AccessEnvironment[] }>

/** The columns: an app's environment of each type; further ones stand in the column of the others. */
export const COLUMNS = [
  { type: 'dev', label: 'Development' },
  { type: 'staging', label: 'Staging' },
  { type: 'prod', label: 'Production' },
] as const

/** An app as a row: one environment or none for each column, and those with names of their own. */
export type MatrixApp = Readonly<{
  id: string
  name: string
  /** The name without that of its group. */
  label: string
  columns: readonly (AccessEnvironment | null)[]
  others: readonly AccessEnvironment[]
}>

/** Apps that share the part of their names before " / "; null for those without a group. */
export type MatrixGroup = Readonly<{ name: string | null; apps: readonly MatrixApp[] }>

/** A row of the matrix. A group's row stands before those of its apps. */
export type MatrixRow =
  | Readonly<{ kind: 'group'; key: string; name: string; apps: readonly MatrixApp[]; isOpen: boolean }>
  | Readonly<{ kind: 'app'; key: string; app: MatrixApp; isGrouped: boolean }>

const SEPARATOR = ' / '
const LEAST_APPS_OF_A_GROUP = 3

/** Lists of apps as one, by name: an app's environments are those of all lists. */
export function mergeApps(...lists: readonly (readonly AccessApp[])[]): AccessApp[] {
  const apps = new Map<string, { name: string; environments: Map<string, AccessEnvironment> }>()
  for (const app of lists.flat()) {
    const merged = apps.get(app.id) ?? { name: app.name, environments: new Map() }
    for (const environment of app.environments) merged.environments.set(environment.id, environment)
    apps.set(app.id, merged)
  }
  return [...apps]
    .map(([id, { name, environments }]) => ({ id, name, environments: [...environments.values()] }))
    .sort((a, b) => byName(a.name, b.name))
}

/** The apps in their groups: first those without one, then the groups by name. */
export function groupsOf(apps: readonly AccessApp[]): MatrixGroup[] {
  const byPrefix = new Map<string, AccessApp[]>()
  for (const app of apps) {
    const prefix = prefixOf(app.name)
    if (prefix !== null) byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), app])
  }
  const prefixes = [...byPrefix].filter(([, members]) => members.length >= LEAST_APPS_OF_A_GROUP)
  const grouped = new Set(prefixes.flatMap(([, members]) => members))
  const alone = apps.filter((app) => !grouped.has(app)).map((app) => asRow(app, null))
  return [
    ...(alone.length === 0 ? [] : [{ name: null, apps: alone }]),
    ...prefixes
      .sort(([a], [b]) => byName(a, b))
      .map(([name, members]) => ({ name, apps: members.map((app) => asRow(app, name)) })),
  ]
}

/** The rows to show: of the groups in `closed` only their own, and of the apps those that `isShown` lets pass. */
export function rowsOf(
  groups: readonly MatrixGroup[],
  closed: ReadonlySet<string>,
  isShown: (app: MatrixApp) => boolean,
): MatrixRow[] {
  return groups.flatMap(({ name, apps }) => {
    const shown = apps.filter(isShown)
    const rows = shown.map((app) => ({ kind: 'app' as const, key: app.id, app, isGrouped: name !== null }))
    if (name === null) return rows
    if (shown.length === 0) return []
    const isOpen = !closed.has(name)
    const head = { kind: 'group' as const, key: `group ${name}`, name, apps: shown, isOpen }
    return isOpen ? [head, ...rows] : [head]
  })
}

/** All environments of an app, those of the columns first. */
export const environmentsOf = (app: MatrixApp): AccessEnvironment[] => [
  ...app.columns.filter((environment) => environment !== null),
  ...app.others,
]

/** The environment in a place of a row; places after the columns are those of the others. */
export const environmentAt = (app: MatrixApp, place: number): AccessEnvironment | null =>
  (place < COLUMNS.length ? app.columns[place] : app.others[place - COLUMNS.length]) ?? null

/** How many of these environments are open. */
export const countOpen = (
  environments: readonly (AccessEnvironment | null)[],
  isOpen: (id: string) => boolean,
): number => environments.filter((environment) => environment !== null && isOpen(environment.id)).length

function asRow(app: AccessApp, group: string | null): MatrixApp {
  const columns = COLUMNS.map(({ type }) => app.environments.find(({ envType }) => envType === type) ?? null)
  const others = app.environments.filter((environment) => !columns.includes(environment))
  const label = group === null ? app.name : app.name.slice(group.length + SEPARATOR.length)
  return { id: app.id, name: app.name, label, columns, others }
}

function prefixOf(name: string): string | null {
  const place = name.indexOf(SEPARATOR)
  return place > 0 && place + SEPARATOR.length < name.length ? name.slice(0, place) : null
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
const byName = (a: string, b: string): number => collator.compare(a, b)
