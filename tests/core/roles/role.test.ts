import { describe, expect, test } from 'bun:test'
import { DEFAULT_ROLES, type Permissions, permissionsOf } from '../../../src/core/permissions.ts'
import { additions, inputValues, present, type RoleRow, requireCustom } from '../../../src/core/roles/role.ts'

const row = (kind: RoleRow['kind'], permissions: Permissions | null): RoleRow => ({
  id: 'r',
  kind,
  position: 5,
  name: 'Auditor',
  name_key: 'auditor',
  description: null,
  color: '',
  permissions,
  created_at: new Date('2026-01-02T03:04:05Z'),
})

describe('what new permissions add to the old ones', () => {
  const reading: Permissions = { permissions: { Apps: ['read'] }, appPermissions: { Logs: ['read'] } }

  test('is nothing where they are the same, or less', () => {
    expect(additions(reading, reading)).toEqual({ permissions: { Apps: [] }, appPermissions: { Logs: [] } })
    expect(additions(reading, { permissions: {}, appPermissions: {} })).toEqual({
      permissions: {},
      appPermissions: {},
    })
  })

  test('are the actions that were not there, each at its own level', () => {
    const more: Permissions = {
      permissions: { Apps: ['read', 'delete'], Logs: ['read'] },
      appPermissions: { Logs: ['read'] },
    }
    expect(additions(reading, more)).toEqual({
      permissions: { Apps: ['delete'], Logs: ['read'] },
      appPermissions: { Logs: [] },
    })
  })

  test('hold a class that is named like a property of every object', () => {
    const odd = { permissions: { constructor: ['read'] }, appPermissions: {} } as unknown as Permissions
    expect(additions(reading, odd).permissions).toEqual({ constructor: ['read'] } as never)
  })
})

test('a body gives the values that were sent and no others, in the form in which they are stored', () => {
  expect(inputValues({})).toEqual({})
  expect(inputValues({ name: ' Auditor ', description: null, color: '#fff' })).toEqual({
    name: 'Auditor',
    description: null,
    color: '#fff',
  })
  const permissions = { permissions: { Logs: ['read' as const] }, appPermissions: {} }
  expect(inputValues({ permissions })).toEqual({ permissions })
})

test('only a custom role can be modified or deleted', () => {
  for (const { kind } of DEFAULT_ROLES) {
    expect(() => requireCustom(row(kind, null), 'deleted')).toThrow('Default roles cannot be deleted.')
  }
  requireCustom(row('custom', { permissions: {}, appPermissions: {} }), 'modified')
})

test('a default role shows the built-in permissions, a custom one those that are stored', () => {
  const stored: Permissions = { permissions: { Logs: ['read'] }, appPermissions: {} }
  expect(present(row('custom', stored)).permissions).toEqual({ ...stored, globalAccess: false } as never)
  const { permissions, isDefault } = present(row('admin', null))
  expect({ permissions, isDefault }).toEqual({
    permissions: { ...permissionsOf('admin', null), globalAccess: true } as never,
    isDefault: true,
  })
})
