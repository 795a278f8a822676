import { expect, test } from 'bun:test'
import { register } from '../../../src/core/accounts/policy.ts'
import { factsOf } from '../../../src/core/accounts/registration.ts'
import { answerOf } from '../../support/role-holders.ts'

const needsSetupToken = '403 The first account needs setup_token, with the value of SETUP_TOKEN.'
const needsInvite = '403 Registration is by invite only.'

// Which account, SETUP_TOKEN, the setup_token sent, REGISTRATION, the invite sent, and the answer.
test.each([
  ['first', null, undefined, 'open', undefined, null],
  ['first', null, undefined, 'invite', undefined, null],
  ['first', null, 'anything', 'open', undefined, null],
  ['first', 'secret', 'secret', 'open', undefined, null],
  ['first', 'secret', 'secret', 'invite', undefined, null],
  ['first', 'secret', undefined, 'open', undefined, needsSetupToken],
  ['first', 'secret', '', 'open', undefined, needsSetupToken],
  ['first', 'secret', 'Secret', 'open', undefined, needsSetupToken],
  ['first', 'secret', 'secret ', 'open', undefined, needsSetupToken],
  ['first', 'secret', undefined, 'invite', 'token', needsSetupToken],
  ['later', null, undefined, 'open', undefined, null],
  ['later', null, undefined, 'open', 'token', null],
  ['later', 'secret', undefined, 'open', undefined, null],
  ['later', null, undefined, 'invite', undefined, needsInvite],
  ['later', 'secret', 'secret', 'invite', undefined, needsInvite],
  ['later', null, undefined, 'invite', 'token', null],
] as const)(
  'the %s account, SETUP_TOKEN %p, setup_token %p, REGISTRATION %s, invite %p: %p',
  (which, setupToken, setup_token, registration, token, expected) => {
    const input = {
      email: 'ada@example.org',
      ...(setup_token !== undefined && { setup_token }),
      ...(token !== undefined && { invite: token }),
    }
    const facts = factsOf({ setupToken, registration, allowedEmailDomains: [] }, which === 'first', input)
    expect(answerOf(register, facts)).toBe(expected)
  },
)
