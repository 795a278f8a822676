import { describe, expect, test } from 'bun:test'
import { becomeOwner, transferOwnership } from '../../../src/core/organisations/policy.ts'
import { answerOf, KINDS } from '../../support/role-holders.ts'

describe('transferring ownership', () => {
  const onlyOwner = '403 Only the Owner can transfer ownership.'
  const again = '403 Sign in again: ownership can only be transferred within 10 minutes of a sign-in.'
  const sinceSignIn = [
    [-1, again],
    [0, null],
    [600, null],
    [600.001, again],
    [601, again],
  ] as const

  for (const kind of [...KINDS, null]) {
    for (const [signedInSecondsAgo, answerToOwner] of sinceSignIn) {
      const expected = kind === 'owner' ? answerToOwner : onlyOwner
      test(`${kind ?? 'no membership'}, signed in ${signedInSecondsAgo} seconds ago: ${expected}`, () => {
        expect(answerOf(transferOwnership, { kind, signedInSecondsAgo })).toBe(expected)
      })
    }
  }
})

describe('becoming the Owner', () => {
  const needsGlobalAccess = '403 The new Owner must hold a role with global access, such as Admin.'
  for (const id of ['self', 'other']) {
    for (const kind of KINDS) {
      const expectedOfOthers = ['owner', 'admin'].includes(kind) ? null : needsGlobalAccess
      const expected = id === 'self' ? '403 You are the Owner already.' : expectedOfOthers
      test(`${id}, with the role ${kind}: ${expected}`, () => {
        expect(answerOf(becomeOwner, { actor: { id: 'self' }, member: { id, kind } })).toBe(expected)
      })
    }
  }
})
