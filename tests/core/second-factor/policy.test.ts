import { describe, expect, test } from 'bun:test'
import { act, confirmWithFactor, lacksRequiredFactor } from '../../../src/core/second-factor/policy.ts'
import { answerOf, KINDS } from '../../support/role-holders.ts'

describe('a session lacks a required second factor', () => {
  for (const requirement of ['off', 'admins', 'everyone'] as const) {
    for (const method of ['password', 'passkey', 'sso'] as const) {
      for (const hasFactor of [false, true]) {
        for (const kind of [...KINDS, null]) {
          const isAsked =
            requirement === 'everyone' ||
            (requirement === 'admins' && ['owner', 'admin'].includes(kind ?? ''))
          const expected = isAsked && method === 'password' && !hasFactor
          const factor = hasFactor ? 'a' : 'no'
          test(`${requirement}, by ${method}, ${factor} factor, ${kind ?? 'no membership'}: ${expected}`, () => {
            expect(lacksRequiredFactor({ requirement, method, hasFactor, kind })).toBe(expected)
          })
        }
      }
    }
  }
})

test('who lacks it may do nothing else', () => {
  expect(answerOf(act, { lacksRequiredFactor: false })).toBeNull()
  expect(answerOf(act, { lacksRequiredFactor: true })).toBe(
    '403 Set up a second factor first: this deployment requires one.',
  )
})

test('an account with a factor confirms with it, and one without never has to', () => {
  const refused = '403 Confirm this with your second factor: send totp, recovery_code or passkey.'
  for (const hasFactor of [false, true])
    for (const isSent of [false, true])
      expect(answerOf(confirmWithFactor, { hasFactor, isSent })).toBe(hasFactor && !isSent ? refused : null)
})
