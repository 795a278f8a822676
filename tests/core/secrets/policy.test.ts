import { expect, test } from 'bun:test'
import { refusalBy } from '../../../src/core/policy.ts'
import * as policy from '../../../src/core/secrets/policy.ts'

const TYPES = ['secret', 'sealed', 'config'] as const

test('a sealed secret stays sealed; any other may become any type', () => {
  for (const before of TYPES) {
    for (const after of TYPES) {
      const refusal = refusalBy(policy.changeType, { before, after })
      const isRefused = before === 'sealed' && after !== 'sealed'
      expect(refusal?.status ?? null, `${before} → ${after}`).toBe(isRefused ? 403 : null)
    }
  }
})

test.each<[number, number, 403 | null]>([
  [0, 5000, null],
  [4999, 1, null],
  [5000, 0, null],
  [5000, 1, 403],
  [3001, 2000, 403],
])('an environment with %d secrets can be given %d more: %p', (present, added, status) => {
  expect(refusalBy(policy.add, { present, added })?.status ?? null).toBe(status)
})

const role = (...actions: ('create' | 'update' | 'delete')[]) => ({
  role: {
    id: 'r',
    kind: 'custom' as const,
    permissions: { permissions: {}, appPermissions: { Secrets: actions } },
  },
})

test.each([
  [role('update'), false, null],
  [role('update'), true, "You don't have permission to create secrets, and this one is deleted."],
  [role('update', 'delete'), true, "You don't have permission to create secrets, and this one is deleted."],
  [role('update', 'create'), true, null],
  [role('update', 'create'), false, null],
])('whoever has %j restores a secret, deleted: %p', (actor, isDeleted, message) => {
  expect(refusalBy(policy.restore, { actor, isDeleted })?.message ?? null).toBe(message)
})

test('a member may have overrides, a service account may not', () => {
  expect(refusalBy(policy.override, { actor: { type: 'user' } })).toBeNull()
  expect(refusalBy(policy.override, { actor: { type: 'service_account' } })?.status).toBe(403)
})
