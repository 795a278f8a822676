import type { NamedEnvironment, SecretRow } from './secret-rows.ts'

/** A reference that is being typed: where its name begins and ends, and what there is of it. */
export type OpenReference = Readonly<{ start: number; end: number; typed: string }>

/** What references can lead to. */
export type Referable = Readonly<{
  environment: NamedEnvironment
  environments: readonly NamedEnvironment[]
  rows: ReadonlyMap<string, SecretRow>
  others: readonly Readonly<{ name: string; environments: readonly NamedEnvironment[] }>[]
}>

const MOST_CANDIDATES = 8

/** The reference in which the caret stands; null where there is none. */
export function openReferenceAt(value: string, caret: number): OpenReference | null {
  const begin = value.lastIndexOf('${', caret - 1)
  if (begin === -1) return null
  const typed = value.slice(begin + 2, caret)
  return /[{}\s]/.test(typed) ? null : { start: begin + 2, end: caret, typed }
}

/** Names that what was typed may become: secrets of this environment first, then of others, then other apps. */
export function candidatesFor(
  typed: string,
  { environment, environments, rows, others }: Referable,
): string[] {
  const wanted = typed.toLowerCase()
  const found: string[] = []
  const offer = (candidate: string): boolean => {
    if (candidate.toLowerCase().includes(wanted) && candidate !== typed) found.push(candidate)
    return found.length === MOST_CANDIDATES
  }
  const own = [...rows.values()].filter(
    ({ cells, path, key }) => cells.has(environment.id) && !`${path}${key}`.includes('.'),
  )
  for (const row of own) if (offer(placeOf(row))) return found
  for (const other of environments.filter(({ id }) => id !== environment.id)) {
    for (const row of rows.values()) {
      if (row.cells.has(other.id) && offer(`${other.name}.${placeOf(row)}`)) return found
    }
  }
  for (const app of others) {
    for (const { name } of app.environments) if (offer(`${app.name}::${name}.`)) return found
  }
  return found
}

const placeOf = ({ path, key }: SecretRow): string => (path === '/' ? key : `${path}/${key}`)

/** The value with a name in place of what was typed of it, closed where it is whole; and where the caret stands then. */
export function insertReference(
  value: string,
  { start, end }: OpenReference,
  candidate: string,
): { value: string; caret: number } {
  const isWhole = !candidate.endsWith('.')
  const rest = value.slice(end)
  const close = isWhole && !rest.startsWith('}') ? '}' : ''
  const caret = start + candidate.length + (isWhole ? 1 : 0)
  return { value: `${value.slice(0, start)}${candidate}${close}${rest}`, caret }
}
