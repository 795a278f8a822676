import { expect, test } from 'bun:test'
import { register } from '../../../src/core/accounts/policy.ts'
import { answerOf } from '../../support/role-holders.ts'

const needsSetupToken = '403 The first account needs setup_token, with the value of SETUP_TOKEN.'
const needsInvite = '403 Registration is by invite only.'

// By which account it is, whether its setup token is good, whether registration is open, and whether it has an invite.
test.each([
  ['first', 'good', 'open', 'an invite', null],
  ['first', 'good', 'open', 'no invite', null],
  ['first', 'good', 'closed', 'an invite', null],
  ['first', 'good', 'closed', 'no invite', null],
  ['first', 'bad', 'open', 'an invite', needsSetupToken],
  ['first', 'bad', 'open', 'no invite', needsSetupToken],
  ['first', 'bad', 'closed', 'an invite', needsSetupToken],
  ['first', 'bad', 'closed', 'no invite', needsSetupToken],
  ['later', 'good', 'open', 'an invite', null],
  ['later', 'good', 'open', 'no invite', null],
  ['later', 'good', 'closed', 'an invite', null],
  ['later', 'good', 'closed', 'no invite', needsInvite],
  ['later', 'bad', 'open', 'an invite', null],
  ['later', 'bad', 'open', 'no invite', null],
  ['later', 'bad', 'closed', 'an invite', null],
  ['later', 'bad', 'closed', 'no invite', needsInvite],
] as const)(
  'the %s account, with a %s setup token, where registration is %s, with %s: %p',
  (account, setupToken, registration, invite, expected) => {
    const facts = {
      isFirst: account === 'first',
      hasSetupToken: setupToken === 'good',
      isOpen: registration === 'open',
      hasInvite: invite === 'an invite',
    }
    expect(answerOf(register, { ...facts, isAllowedAddress: true })).toBe(expected)
    const elsewhere = '403 E-mail addresses of this domain may not have an account here.'
    expect(answerOf(register, { ...facts, isAllowedAddress: false })).toBe(expected ?? elsewhere)
  },
)
