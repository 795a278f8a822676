import { beyondOwn, type RoleHolder } from '../../../core/access.ts'
import type { Action, Level, Permissions } from '../../../core/permissions.ts'
import { wordsOf } from './classes.ts'

/** One permission as a text: its level, class and action. */
export type Key = `${Level}/${string}/${Action}`

/** What a role is edited as: its texts, and the permissions that it has. */
export type RoleState = Readonly<{
  name: string
  description: string
  color: string
  allowed: ReadonlySet<Key>
}>

/** What differs between two states. */
export type RoleChange = Readonly<{
  fields: readonly ('name' | 'description' | 'color')[]
  added: readonly Key[]
  removed: readonly Key[]
}>

const LEVELS = ['permissions', 'appPermissions'] as const

export const keyOf = (level: Level, resourceClass: string, action: Action): Key =>
  `${level}/${resourceClass}/${action}`

const partsOf = (key: Key): { level: Level; resourceClass: string; action: Action } => {
  const [level, resourceClass, action] = key.split('/') as [Level, string, Action]
  return { level, resourceClass, action }
}

type Shown = {
  permissions: Record<string, readonly string[]>
  appPermissions: Record<string, readonly string[]>
}

/** The permissions of a role as keys. */
export const allowedBy = (permissions: Shown | Permissions): ReadonlySet<Key> =>
  new Set(
    LEVELS.flatMap((level) =>
      Object.entries(permissions[level]).flatMap(([resourceClass, actions]) =>
        actions.map((action) => keyOf(level, resourceClass, action as Action)),
      ),
    ),
  )

/** Keys as permissions, in the form of the product's rules. */
export function permissionsOf(keys: Iterable<Key>): Permissions {
  const levels: Record<Level, Record<string, Action[]>> = { permissions: {}, appPermissions: {} }
  for (const key of keys) {
    const { level, resourceClass, action } = partsOf(key)
    levels[level][resourceClass] = [...(levels[level][resourceClass] ?? []), action]
  }
  return levels
}

/** Keys as the body of a request has them. */
export const permissionsBody = (keys: Iterable<Key>) => {
  const { permissions, appPermissions } = permissionsOf(keys)
  return {
    permissions: permissions as Record<string, Action[]>,
    app_permissions: appPermissions as Record<string, Action[]>,
  }
}

/** Why the viewer can't add a permission, a sentence; null where it can. */
export const beyondViewer = (viewer: RoleHolder, key: Key): string | null =>
  beyondOwn(viewer, permissionsOf([key]))

/** The state with a permission turned round. */
export function toggled(state: RoleState, key: Key): RoleState {
  const allowed = new Set(state.allowed)
  if (!allowed.delete(key)) allowed.add(key)
  return { ...state, allowed }
}

/** The state with the permissions of another role, as far as the viewer can add them. */
export const startingFrom = (
  state: RoleState,
  before: ReadonlySet<Key>,
  other: ReadonlySet<Key>,
  viewer: RoleHolder,
): RoleState => ({
  ...state,
  allowed: new Set([...other].filter((key) => before.has(key) || beyondViewer(viewer, key) === null)),
})

/** What was changed from one state to another. */
export const changeBetween = (before: RoleState, after: RoleState): RoleChange => ({
  fields: (['name', 'description', 'color'] as const).filter(
    (field) => before[field].trim() !== after[field].trim(),
  ),
  added: [...after.allowed].filter((key) => !before.allowed.has(key)),
  removed: [...before.allowed].filter((key) => !after.allowed.has(key)),
})

export const isChange = ({ fields, added, removed }: RoleChange): boolean =>
  fields.length + added.length + removed.length > 0

/** A change on top of another state: what it doesn't touch stays as it is there. */
export function onTop(latest: RoleState, mine: RoleState, { fields, added, removed }: RoleChange): RoleState {
  const allowed = new Set(latest.allowed)
  for (const key of added) allowed.add(key)
  for (const key of removed) allowed.delete(key)
  return { ...latest, ...Object.fromEntries(fields.map((field) => [field, mine[field]])), allowed }
}

/** The body that changes only what differs. */
export function bodyOf(state: RoleState, { fields, added, removed }: RoleChange) {
  const values = {
    name: state.name.trim(),
    description: state.description.trim() === '' ? null : state.description.trim(),
    color: state.color.trim(),
  }
  return {
    ...(fields.includes('name') && { name: values.name }),
    ...(fields.includes('description') && { description: values.description }),
    ...(fields.includes('color') && { color: values.color }),
    ...(added.length + removed.length > 0 && { permissions: permissionsBody(state.allowed) }),
  }
}

/** A permission in words: "delete Service account tokens", "read Secrets in apps". */
export function wordsOfKey(key: Key): string {
  const { level, resourceClass, action } = partsOf(key)
  return `${action} ${wordsOf(level, resourceClass).label}${level === 'permissions' ? '' : ' in apps'}`
}
