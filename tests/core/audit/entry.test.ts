import { expect, test } from 'bun:test'
import type { Actor } from '../../../src/core/actor.ts'
import { visibilityFor } from '../../../src/core/audit/entry.ts'
import type { RoleKind } from '../../../src/core/permissions.ts'

const actor = (id: string, userId: string | null, kind: RoleKind) => ({ id, userId, role: { kind } }) as Actor

test.each(['owner', 'admin'] as const)('a caller with global access (%s) sees everything', (kind) => {
  expect(visibilityFor(actor('membership', 'user', kind))).toBeNull()
})

test.each([
  [actor('membership', 'user', 'developer'), ['membership', 'user']],
  [actor('membership', 'user', 'custom'), ['membership', 'user']],
  [actor('robot', null, 'service'), ['robot']],
] as const)('anybody else is known by its ids, and judged by its grants', (viewer, ids) => {
  expect(visibilityFor(viewer)).toEqual({ grantsOf: viewer.id, ids: [...ids] })
})
