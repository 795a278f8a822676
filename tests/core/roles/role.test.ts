import { expect, test } from 'bun:test'
import { type Permissions, permissionsOf } from '../../../src/core/permissions.ts'
import { inputValues, present, type RoleRow } from '../../../src/core/roles/role.ts'

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

test('a default role shows the built-in permissions, a custom one those that are stored', () => {
  const stored: Permissions = { permissions: { Logs: ['read'] }, appPermissions: {} }
  expect(present(row('custom', stored)).permissions).toEqual({ ...stored, globalAccess: false } as never)
  const { permissions, isDefault } = present(row('admin', null))
  expect({ permissions, isDefault }).toEqual({
    permissions: { ...permissionsOf('admin', null), globalAccess: true } as never,
    isDefault: true,
  })
})
