import { describe, expect, test } from 'bun:test'
import {
  ACTIONS,
  APP_CLASSES,
  allows,
  DEFAULT_ROLES,
  firstExcess,
  ORGANISATION_CLASSES,
  type Permissions,
} from '../../src/core/permissions.ts'

/** The default roles as API.md §4 lists them: c r u d for each class, in the order of the classes. */
const TABLE: Record<string, { organisation: string[]; app: string[] }> = {
  Owner: {
    organisation: [
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'r',
      'crud',
      'crud',
      'crud',
      'crud',
    ],
    app: ['crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'ru', 'crud'],
  },
  Admin: {
    organisation: [
      'ru',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'r',
      'crud',
      'crud',
      'crud',
      'crud',
    ],
    app: ['crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'ru', 'crud'],
  },
  Manager: {
    organisation: [
      'r',
      'crud',
      'crud',
      'crud',
      '',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'crud',
      'r',
      '',
      'crud',
      '',
      '',
    ],
    app: ['cru', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'crud', 'ru', 'crud'],
  },
  Developer: {
    organisation: ['', '', 'r', 'r', '', '', '', '', 'r', 'cru', 'r', 'r', '', 'r', '', ''],
    app: ['cru', 'crud', 'cr', 'r', 'crud', 'r', 'cr', 'r', 'c', 'crud', 'ru', 'r'],
  },
  Service: {
    organisation: ['', '', 'cru', 'r', '', 'r', 'r', 'r', 'r', 'r', 'r', '', '', '', '', ''],
    app: ['cru', 'crud', 'cr', 'r', '', '', '', 'r', 'r', 'r', 'r', 'r'],
  },
}

const letters = (actions: readonly string[] | undefined) =>
  (actions ?? ['?']).map((action) => action[0]).join('')

describe('the default roles', () => {
  test('are five, in their order', () => {
    expect(DEFAULT_ROLES.map((role) => role.name)).toEqual(Object.keys(TABLE))
  })

  for (const { name, permissions } of DEFAULT_ROLES) {
    test(`${name} allows exactly what the contract lists, and names every class`, () => {
      expect(Object.keys(permissions.permissions)).toEqual([...ORGANISATION_CLASSES])
      expect(Object.keys(permissions.appPermissions)).toEqual([...APP_CLASSES])
      expect(ORGANISATION_CLASSES.map((name) => letters(permissions.permissions[name]))).toEqual(
        TABLE[name]?.organisation ?? [],
      )
      expect(APP_CLASSES.map((name) => letters(permissions.appPermissions[name]))).toEqual(
        TABLE[name]?.app ?? [],
      )
    })
  }
})

const some = (
  permissions: Permissions['permissions'],
  appPermissions: Permissions['appPermissions'] = {},
): Permissions => ({
  permissions,
  appPermissions,
})

test('classes that are not listed allow nothing, not even `constructor`', () => {
  const permissions = some({ Apps: ['read'] })
  for (const action of ACTIONS)
    expect(allows(permissions, 'permissions', 'Apps', action)).toBe(action === 'read')
  for (const name of ['Roles', 'constructor', '__proto__', 'toString']) {
    expect(allows(permissions, 'permissions', name, 'read')).toBe(false)
    expect(allows(permissions, 'appPermissions', name, 'read')).toBe(false)
  }
})

test('the first excess is found at both levels, and none within', () => {
  const held = some({ Apps: ['read', 'update'] }, { Logs: ['read'] })
  expect(firstExcess(some({ Apps: ['update'] }), held)).toBeNull()
  expect(firstExcess(some({ Roles: ['read'], Apps: ['delete'] }), held)).toEqual({
    level: 'permissions',
    resourceClass: 'Apps',
    action: 'delete',
  })
  expect(firstExcess(some({}, { Logs: ['read', 'create'] }), held)).toEqual({
    level: 'appPermissions',
    resourceClass: 'Logs',
    action: 'create',
  })
})
