import { describe, expect, test } from 'bun:test'
import {
  refusalToAssign,
  refusalToChangeRole,
  refusalToRemove,
  type Standing,
} from '../../../src/core/members/member.ts'
import { hasGlobalAccess, type RoleKind } from '../../../src/core/permissions.ts'

const KINDS: RoleKind[] = ['owner', 'admin', 'manager', 'developer', 'service', 'custom']

/** Every caller that can exist: a person of every role, a service account of every role without global access. */
const CALLERS: Standing[] = [
  ...KINDS.map((kind) => ({ type: 'user' as const, id: `user ${kind}`, kind })),
  ...KINDS.filter((kind) => !hasGlobalAccess(kind)).map((kind) => ({
    type: 'service_account' as const,
    id: `robot ${kind}`,
    kind,
  })),
]

/** Every target for a caller: somebody else of every role, and itself. */
const targets = (caller: Standing) => [
  ...KINDS.map((kind) => ({ id: `other ${kind}`, kind })),
  ...(caller.type === 'user' ? [{ id: caller.id, kind: caller.kind }] : []),
]

// The table, as SPEC.md's Errors and API.md's Members say it: the first line that applies decides.
const expectedToChange = (caller: Standing, target: { id: string; kind: RoleKind }) => {
  if (target.kind === 'owner') return 'owner'
  if (caller.type === 'user' && caller.id === target.id) return 'self'
  if (caller.type === 'user' && !['owner', 'admin'].includes(caller.kind) && target.kind === 'admin')
    return 'global'
  if (caller.type === 'service_account' && target.kind === 'admin') return 'global'
  return 'allowed'
}
const expectedToAssign = (caller: Standing, kind: RoleKind) => {
  if (kind === 'owner') return 'owner'
  if (caller.type === 'service_account' && kind === 'admin') return 'global'
  if (caller.type === 'user' && !['owner', 'admin'].includes(caller.kind) && kind === 'admin') return 'global'
  return 'allowed'
}

const SENTENCES: Record<string, RegExp> = {
  owner: /Owner/,
  self: /yourself|your own role/,
  global: /global access/,
}

function check(refusal: string | null, expected: string) {
  if (expected === 'allowed') expect(refusal).toBeNull()
  else expect(refusal).toMatch(SENTENCES[expected] as RegExp)
}

describe('who may change whose role', () => {
  for (const caller of CALLERS) {
    for (const target of targets(caller)) {
      const expected = expectedToChange(caller, target)
      test(`${caller.id} changing ${target.id}: ${expected}`, () =>
        check(refusalToChangeRole(caller, target), expected))
    }
  }
})

describe('who may assign which role', () => {
  for (const caller of CALLERS) {
    for (const kind of KINDS) {
      const expected = expectedToAssign(caller, kind)
      test(`${caller.id} assigning ${kind}: ${expected}`, () =>
        check(refusalToAssign(caller, kind), expected))
    }
  }
})

describe('who may remove whom', () => {
  for (const caller of CALLERS) {
    for (const target of targets(caller)) {
      const expected = expectedToChange(caller, target)
      test(`${caller.id} removing ${target.id}: ${expected}`, () =>
        check(refusalToRemove(caller, target), expected))
    }
  }
})

test('the sentence about the Owner names the way that there is', () => {
  const caller: Standing = { type: 'user', id: 'x', kind: 'admin' }
  expect(refusalToChangeRole(caller, { id: 'y', kind: 'owner' })).toMatch(
    /cannot be changed via the API.*ownership transfer flow/,
  )
})
