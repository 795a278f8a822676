import type { Entry } from '../../../core/audit/entry.ts'
import { idsIn, type NameOf } from './facts.ts'

/** One line of what was different before and after; null where there was nothing. */
export type Change = Readonly<{ what: string; before: string | null; after: string | null }>

type Values = Entry['oldValues']

/** What a change made different, line by line; at most so many lines, and how many there are. */
export function changesIn(
  entry: Entry,
  nameOf: NameOf,
  most = 60,
): { changes: readonly Change[]; more: number } {
  const all = isAccess(entry) ? accessChanges(entry, nameOf) : valueChanges(entry.oldValues, entry.newValues)
  const total = isAccess(entry) ? count(entry.oldValues) + count(entry.newValues) : all.length
  const changes = all.slice(0, most)
  return { changes, more: Math.max(total - changes.length, 0) }
}

/** Whether an entry tells of environments that were opened or closed. */
export const isAccess = ({ eventType }: Entry): boolean => eventType.endsWith('.access_changed')

const count = (values: Values): number => (typeof values?.total === 'number' ? values.total : 0)

function accessChanges({ oldValues, newValues }: Entry, nameOf: NameOf): Change[] {
  const line = (id: string, isOpened: boolean): Change => {
    const found = nameOf('environment', id)
    const what = found === null ? `Environment ${id}` : `${found.app ?? ''}, ${found.name}`
    return { what, before: isOpened ? 'closed' : 'open', after: isOpened ? 'open' : 'closed' }
  }
  return [
    ...idsIn(newValues, 'granted').map((id) => line(id, true)),
    ...idsIn(oldValues, 'revoked').map((id) => line(id, false)),
  ]
}

function valueChanges(before: Values, after: Values): Change[] {
  const [old, now] = [flat(before), flat(after)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((what) => {
    const change = { what, before: old.get(what) ?? null, after: now.get(what) ?? null }
    return change.before === change.after ? [] : [change]
  })
}

/** The values of an entry by their names; permissions class by class. */
function flat(values: Values): Map<string, string> {
  const lines = new Map<string, string>()
  for (const [key, value] of Object.entries(values ?? {})) {
    if (key === 'permissions') for (const [what, actions] of permissionLines(value)) lines.set(what, actions)
    else if (value !== null && value !== '' && value !== undefined)
      lines.set(LABELS[key] ?? spaced(key), shown(value))
  }
  return lines
}

function permissionLines(value: unknown): [string, string][] {
  const levels = (value ?? {}) as Record<string, Record<string, readonly string[]>>
  return Object.entries({ permissions: '', appPermissions: ', in apps' }).flatMap(([level, where]) =>
    Object.entries(levels[level] ?? {}).flatMap(([name, actions]): [string, string][] =>
      actions.length === 0 ? [] : [[`${name}${where}`, actions.join(', ')]],
    ),
  )
}

/** A value as text; what names something shows its name. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(shown).join(', ')
  if (typeof value !== 'object' || value === null)
    return value === true ? 'yes' : value === false ? 'no' : String(value)
  const { name, path, id, version } = value as Record<string, unknown>
  if (typeof name === 'string') return name
  if (typeof path === 'string') return `${path} ${String(id)} (version ${String(version)})`
  return JSON.stringify(value)
}

const LABELS: Readonly<Record<string, string>> = {
  color: 'Colour',
  sseEnabled: 'Server-side encryption',
  expiresAt: 'Ends',
  envType: 'Type',
  ownerId: 'Owner',
  memberId: 'Member',
  tokens: 'Live tokens',
}

const spaced = (key: string): string => {
  const words = key.replace(/([A-Z])/g, ' $1').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
