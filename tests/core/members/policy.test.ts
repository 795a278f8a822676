import { describe, expect, test } from 'bun:test'
import type { RoleHolder } from '../../../src/core/access.ts'
import { assignRole, changeRole, remove } from '../../../src/core/members/policy.ts'
import type { RoleKind } from '../../../src/core/permissions.ts'
import { answerOf, HOLDERS, holder, KINDS } from '../../support/role-holders.ts'

type Target = Readonly<{ id: string; kind: RoleKind }>

/** Every target for a caller: another member with every role, and the caller itself. */
const targets = (actor: RoleHolder): Target[] => [
  ...KINDS.map((kind) => ({ id: `other ${kind}`, kind })),
  ...(actor.type === 'user' ? [{ id: actor.id, kind: actor.role.kind }] : []),
]

// The table of SPEC.md, Errors, and API.md, Members and access: the first line that applies decides.
const expectedForTarget = (actor: RoleHolder, target: Target) => {
  if (target.kind === 'owner') return 'owner'
  if (actor.type === 'user' && actor.id === target.id) return 'self'
  if (actor.type === 'user' && !['owner', 'admin'].includes(actor.role.kind) && target.kind === 'admin') {
    return 'global'
  }
  if (actor.type === 'service_account' && target.kind === 'admin') return 'global'
  return 'allowed'
}
const expectedForRole = (actor: RoleHolder, kind: RoleKind) => {
  if (kind === 'owner') return 'owner'
  if (actor.type === 'service_account' && kind === 'admin') return 'global'
  if (actor.type === 'user' && !['owner', 'admin'].includes(actor.role.kind) && kind === 'admin') {
    return 'global'
  }
  return 'allowed'
}

const SENTENCES: Record<string, RegExp> = {
  owner: /^403 .*Owner/,
  self: /^403 .*(yourself|your own role)/,
  global: /^403 .*global access/,
}

function check(answer: string | null, expected: string) {
  if (expected === 'allowed') expect(answer).toBeNull()
  else expect(answer).toMatch(SENTENCES[expected] as RegExp)
}

describe("changing a member's role", () => {
  for (const actor of HOLDERS) {
    for (const member of targets(actor)) {
      const expected = expectedForTarget(actor, member)
      test(`${actor.id} changing the role of ${member.id}: ${expected}`, () =>
        check(answerOf(changeRole, { actor, member }), expected))
    }
  }
})

describe('assigning a role', () => {
  for (const actor of HOLDERS) {
    for (const kind of KINDS) {
      const expected = expectedForRole(actor, kind)
      test(`${actor.id} assigning ${kind}: ${expected}`, () =>
        check(answerOf(assignRole, { actor, kind }), expected))
    }
  }
})

describe('removing a member', () => {
  for (const actor of HOLDERS) {
    for (const member of targets(actor)) {
      const expected = expectedForTarget(actor, member)
      test(`${actor.id} removing ${member.id}: ${expected}`, () =>
        check(answerOf(remove, { actor, member }), expected))
    }
  }
})

test("the refusal to change the Owner's role says what to use instead", () => {
  const facts = { actor: holder('admin'), member: { id: 'y', kind: 'owner' as const } }
  expect(answerOf(changeRole, facts)).toMatch(/cannot be changed via the API.*ownership transfer flow/)
})
