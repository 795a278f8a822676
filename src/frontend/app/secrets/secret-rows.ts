import type { Secret } from './secret.ts'

/** A secret of several environments: it is told by its path and key, and has an id of its own in each. */
export type SecretRow = Readonly<{
  /** The path and the key. */
  name: string
  path: string
  key: string
  /** By the environment's id. */
  cells: ReadonlyMap<string, Secret>
}>

export type NamedEnvironment = Readonly<{ id: string; name: string }>

/** What a row is called in maps. A path has no blank. */
export const nameOf = ({ path, key }: Pick<SecretRow, 'path' | 'key'>): string => `${path} ${key}`

/** The secrets of several environments as rows, by path and then key. */
export function rowsOf(secretsByEnvironment: ReadonlyMap<string, readonly Secret[]>): SecretRow[] {
  const rows = new Map<string, { name: string; path: string; key: string; cells: Map<string, Secret> }>()
  for (const [environmentId, secrets] of secretsByEnvironment) {
    for (const secret of secrets) {
      const name = nameOf(secret)
      const row = rows.get(name) ?? { name, path: secret.path, key: secret.key, cells: new Map() }
      row.cells.set(environmentId, secret)
      rows.set(name, row)
    }
  }
  return [...rows.values()].sort(byPathAndKey)
}

/** The order of rows: by path, then by key. */
export const byPathAndKey = (a: SecretRow, b: SecretRow): number =>
  compare(a.path, b.path) || compare(a.key, b.key)

/** The row of a stored secret, or of a deleted one's name; undefined where no environment has it. */
export const rowOf = (
  rows: readonly SecretRow[],
  secret: Pick<SecretRow, 'path' | 'key'> & { id: string; environment: NamedEnvironment },
): SecretRow | undefined =>
  rows.find(({ cells }) => cells.get(secret.environment.id)?.id === secret.id) ??
  rows.find(({ name }) => name === nameOf(secret))

/** Whether an environment lacks the secret. */
export const isMissing = (row: SecretRow, environments: readonly NamedEnvironment[]): boolean =>
  environments.some(({ id }) => !row.cells.has(id))

/** Whether two environments have another value. Sealed values are never compared. */
export const isDifferent = (row: SecretRow): boolean => new Set(comparedValues(row)).size > 1

/** Whether the value in some environment is sealed: it can be replaced, and is never shown. */
export const isSealed = (row: SecretRow): boolean =>
  [...row.cells.values()].some(({ type }) => type === 'sealed')

const comparedValues = (row: SecretRow): string[] =>
  [...row.cells.values()].filter(({ type }) => type !== 'sealed').map(({ value }) => value)

/**
 * A letter for each environment's value: equal values have the same one, from the first environment on. Sealed values have
 * none: even their equality is not told.
 */
export function lettersOf(
  row: SecretRow,
  environments: readonly NamedEnvironment[],
): ReadonlyMap<string, string> {
  const letters = new Map<string, string>()
  const byValue = new Map<string, string>()
  for (const { id } of environments) {
    const secret = row.cells.get(id)
    if (secret === undefined || secret.type === 'sealed') continue
    const letter = byValue.get(secret.value) ?? LETTERS[byValue.size] ?? '…'
    byValue.set(secret.value, letter)
    letters.set(id, letter)
  }
  return letters
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The tags that a secret has in any environment. */
export const tagsOf = (row: SecretRow): string[] =>
  [...new Set([...row.cells.values()].flatMap(({ tags }) => tags))].sort(compare)

/** What the address selects. */
export type Selection = Readonly<{ path?: string; tag?: string; q?: string; show?: 'missing' | 'different' }>

/** Whether a path lies at or below a folder; the root folder has only its own secrets, and no folder has all. */
export const isInFolder = (path: string, folder: string | undefined): boolean =>
  folder === undefined || path === folder || (folder !== '/' && path.startsWith(`${folder}/`))

/** The rows that path, tag and search select; what is missing or different is chosen among them. */
export function selectRows(rows: readonly SecretRow[], { path, tag, q = '' }: Selection): SecretRow[] {
  const searched = q.trim().toLowerCase()
  return rows.filter(
    (row) =>
      isInFolder(row.path, path) &&
      (tag === undefined || tagsOf(row).includes(tag)) &&
      (searched === '' || row.key.toLowerCase().includes(searched)),
  )
}

/** A folder with the number of secrets in it and in the folders below. */
export type Folder = Readonly<{ path: string; name: string; depth: number; count: number }>

/** The folders that secrets lie in, as a tree in reading order. The root counts only what lies in no other. */
export function foldersOf(rows: readonly SecretRow[]): Folder[] {
  const counts = new Map<string, number>([['/', 0]])
  for (const { path } of rows) {
    for (const folder of path === '/' ? ['/'] : ancestorsOf(path))
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .map(([path, count]) => ({
      path,
      count,
      name: path.split('/').at(-1) || '/',
      depth: path === '/' ? 0 : path.split('/').length - 1,
    }))
    .sort((a, b) => compare(a.path, b.path))
}

const ancestorsOf = (path: string): string[] => {
  const segments = path.split('/').slice(1)
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`)
}

/** How many rows have each tag, the most frequent one first. */
export function tagCounts(rows: readonly SecretRow[]): [tag: string, count: number][] {
  const counts = new Map<string, number>()
  for (const row of rows) for (const tag of tagsOf(row)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || compare(a, b))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
