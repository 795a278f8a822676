import { expect, test } from 'bun:test'
import { removeWayIn } from '../../../src/core/sign-in/policy.ts'
import { answerOf } from '../../support/role-holders.ts'

test('a way in can be removed while another is left', () => {
  expect(answerOf(removeWayIn, { left: 2 })).toBeNull()
  expect(answerOf(removeWayIn, { left: 1 })).toBeNull()
  expect(answerOf(removeWayIn, { left: 0 })).toBe(
    '403 This is your last way to sign in. Add another one first, such as a password or a passkey.',
  )
})
