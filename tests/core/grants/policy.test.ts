import { describe, expect, test } from 'bun:test'
import { grant, setAccess } from '../../../src/core/grants/policy.ts'
import { refusalBy } from '../../../src/core/policy.ts'
import { answerOf, HOLDERS } from '../../support/role-holders.ts'

const isImplied = "403 This member's role has global access: it reaches every app and environment already."

test.each([
  ['owner', isImplied],
  ['admin', isImplied],
  ['manager', null],
  ['developer', null],
  ['service', null],
  ['custom', null],
] as const)('setting the access of a member with the role %s: %p', (kind, expected) => {
  expect(answerOf(setAccess, { kind })).toBe(expected)
})

describe('granting environments', () => {
  const own = { environmentId: 'own', isOwn: true }
  const other = { environmentId: 'other', isOwn: false }
  const another = { environmentId: 'another', isOwn: false }
  const requests = [
    [[], null],
    [[own], null],
    [[other], 'other'],
    [[own, other], 'other'],
    [[other, own], 'other'],
    [[own, another, other], 'another'],
  ] as const

  for (const actor of HOLDERS) {
    for (const [environments, firstForeign] of requests) {
      const refused = ['owner', 'admin'].includes(actor.role.kind) ? null : firstForeign
      const names = environments.map(({ environmentId }) => environmentId).join(', ')
      test(`${actor.id} granting [${names}]: ${refused === null ? 'allowed' : `not ${refused}`}`, () => {
        const refusal = refusalBy(grant, { actor, environments })
        expect(refusal?.message ?? null).toBe(
          refused && `You can't grant environment "${refused}": you have no access to it yourself.`,
        )
        expect([refusal?.status, refusal?.environmentId]).toEqual(
          refused === null ? [undefined, undefined] : [403, refused],
        )
      })
    }
  }
})
