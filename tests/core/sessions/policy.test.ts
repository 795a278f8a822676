import { expect, test } from 'bun:test'
import { changeSignIn } from '../../../src/core/sessions/policy.ts'
import { answerOf } from '../../support/role-holders.ts'

const again = '403 Sign in again: this can only be done within 10 minutes of a sign-in.'

test.each([
  [-1, again],
  [0, null],
  [600, null],
  [600.001, again],
])('changing how one signs in, %d seconds after a sign-in: %s', (signedInSecondsAgo, expected) => {
  expect(answerOf(changeSignIn, { signedInSecondsAgo })).toBe(expected)
})
