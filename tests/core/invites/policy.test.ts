import { expect, test } from 'bun:test'
import { accept, create } from '../../../src/core/invites/policy.ts'
import { answerOf } from '../../support/role-holders.ts'

const isGlobal =
  '400 Nobody can be invited to a role with global access. Invite to another role, and change it afterwards.'

test.each([
  ['owner', isGlobal],
  ['admin', isGlobal],
  ['manager', null],
  ['developer', null],
  ['service', null],
  ['custom', null],
] as const)('inviting to the role %s: %p', (kind, expected) => {
  expect(answerOf(create, { kind })).toBe(expected)
})

const isForAnother =
  '403 This invite is for another e-mail address. Use the account of the address that it was sent to.'

test.each([
  ['ada@example.org', 'ada@example.org', null],
  ['ada@example.org', 'bob@example.org', isForAnother],
  ['ada@example.org', '', isForAnother],
])('accepting an invite to %p with the account of %p: %p', (invitedKey, accountKey, expected) => {
  expect(answerOf(accept, { invitedKey, accountKey })).toBe(expected)
})
