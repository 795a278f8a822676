import { expect, test } from 'bun:test'
import { refusalToRegister } from '../../../src/core/accounts/registration.ts'

const setup = 'The first account needs the right setup_token: the value of SETUP_TOKEN.'
const invite = 'Registration is by invite only.'

// Which account, SETUP_TOKEN, the setup_token given, REGISTRATION, an invite given, and the answer.
test.each([
  ['first', null, undefined, 'open', undefined, null],
  ['first', null, undefined, 'invite', undefined, null],
  ['first', null, 'anything', 'open', undefined, null],
  ['first', 'secret', 'secret', 'open', undefined, null],
  ['first', 'secret', 'secret', 'invite', undefined, null],
  ['first', 'secret', undefined, 'open', undefined, setup],
  ['first', 'secret', '', 'open', undefined, setup],
  ['first', 'secret', 'Secret', 'open', undefined, setup],
  ['first', 'secret', 'secret ', 'open', undefined, setup],
  ['first', 'secret', undefined, 'invite', 'token', setup],
  ['later', null, undefined, 'open', undefined, null],
  ['later', null, undefined, 'open', 'token', null],
  ['later', 'secret', undefined, 'open', undefined, null],
  ['later', null, undefined, 'invite', undefined, invite],
  ['later', 'secret', 'secret', 'invite', undefined, invite],
  ['later', null, undefined, 'invite', 'token', null],
] as const)(
  'the %s account, SETUP_TOKEN %p, setup_token %p, REGISTRATION %s, invite %p: %p',
  (which, setupToken, setup_token, registration, token, refusal) => {
    const input = {
      ...(setup_token !== undefined && { setup_token }),
      ...(token !== undefined && { invite: token }),
    }
    expect(refusalToRegister({ setupToken, registration }, which === 'first', input)).toBe(refusal)
  },
)
