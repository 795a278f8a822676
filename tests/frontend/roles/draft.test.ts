import { describe, expect, test } from 'bun:test'
import { APP_CLASSES, DEFAULT_ROLES, ORGANISATION_CLASSES } from '../../../src/core/permissions.ts'
import { wordsOf } from '../../../src/frontend/app/roles/classes.ts'
import {
  allowedBy,
  beyondViewer,
  bodyOf,
  changeBetween,
  type Key,
  onTop,
  permissionsOf,
  type RoleState,
  startingFrom,
  toggled,
} from '../../../src/frontend/app/roles/draft.ts'

const role = (kind: string) => {
  const found = DEFAULT_ROLES.find((known) => known.kind === kind)
  if (found === undefined) throw new Error(`no role ${kind}`)
  return found.permissions
}
const state = (...allowed: Key[]): RoleState => ({
  name: 'A',
  description: '',
  color: '',
  allowed: new Set(allowed),
})
const manager = {
  type: 'user',
  id: 'm',
  role: { id: 'r', kind: 'manager', permissions: role('manager') },
} as const

test('every class has its own name and sentence at its level', () => {
  const words = [
    ...ORGANISATION_CLASSES.map((name) => wordsOf('permissions', name)),
    ...APP_CLASSES.map((name) => wordsOf('appPermissions', name)),
  ]
  for (const { label, covers } of words)
    expect([label, covers.at(-1)]).toEqual([expect.stringMatching(/^[A-Z]/), expect.stringMatching(/[.?]/)])
  expect(wordsOf('permissions', 'constructor')).toEqual({ label: 'constructor', covers: '' })
})

test('the permissions of every default role stay the same as keys and back', () => {
  for (const { permissions } of DEFAULT_ROLES)
    expect(allowedBy(permissionsOf(allowedBy(permissions)))).toEqual(allowedBy(permissions))
})

describe('a change', () => {
  test('is what differs, and nothing once it is taken back', () => {
    const before = state('permissions/Apps/read')
    const after = toggled(toggled(before, 'permissions/Apps/create'), 'permissions/Apps/read')
    expect(changeBetween(before, after)).toEqual({
      fields: [],
      added: ['permissions/Apps/create'],
      removed: ['permissions/Apps/read'],
    })
    expect(
      changeBetween(before, toggled(toggled(before, 'permissions/Apps/read'), 'permissions/Apps/read'))
        .removed,
    ).toEqual([])
  })

  test('sends only what differs, and the permissions as a whole', () => {
    const before = state('permissions/Apps/read')
    const renamed = { ...before, name: ' B ' }
    expect(bodyOf(renamed, changeBetween(before, renamed))).toEqual({ name: 'B' })
    const more = toggled(before, 'appPermissions/Secrets/read')
    expect(bodyOf(more, changeBetween(before, more))).toEqual({
      permissions: { permissions: { Apps: ['read'] }, app_permissions: { Secrets: ['read'] } },
    })
  })

  test('on top of somebody else’s keeps what they changed elsewhere', () => {
    const before = state('permissions/Apps/read')
    const mine = toggled(before, 'permissions/Teams/read')
    const theirs = {
      ...toggled(toggled(before, 'permissions/Apps/read'), 'permissions/SCIM/read'),
      description: 'Theirs.',
    }
    const result = onTop(theirs, mine, changeBetween(before, mine))
    expect([...result.allowed].sort()).toEqual(['permissions/SCIM/read', 'permissions/Teams/read'])
    expect(result.description).toBe('Theirs.')
  })
})

describe('what the viewer lacks', () => {
  test('can’t be added, and the reason names it', () => {
    expect(beyondViewer(manager, 'permissions/SCIM/read')).toContain('does not allow read on SCIM')
    expect(beyondViewer(manager, 'permissions/Apps/delete')).toBeNull()
  })

  test('is left out of a start from another role, unless it was there before', () => {
    const kept = new Set<Key>(['permissions/SSO/read'])
    const start = startingFrom(state(...kept), kept, allowedBy(role('admin')), manager)
    expect(start.allowed.has('permissions/SSO/read')).toBe(true)
    expect(start.allowed.has('permissions/SCIM/read')).toBe(false)
    expect(start.allowed.has('permissions/Apps/delete')).toBe(true)
  })
})
