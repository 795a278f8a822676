import { expect, test } from 'bun:test'
import {
  refusalToBecomeOwner,
  refusalToTransfer,
} from '../../../src/core/organisations/ownership-transfer.ts'

const onlyOwner = 'Only the Owner can transfer ownership.'
const again = 'Sign in again: ownership can only be transferred within 10 minutes of a sign-in.'

test.each([
  ['owner', 0, null],
  ['owner', 600, null],
  ['owner', 601, again],
  ['admin', 0, onlyOwner],
  ['manager', 0, onlyOwner],
  ['developer', 0, onlyOwner],
  ['service', 0, onlyOwner],
  ['custom', 0, onlyOwner],
  ['admin', 601, onlyOwner],
  [null, 0, onlyOwner],
] as const)('a caller of kind %p, signed in %i seconds ago: %p', (kind, seconds, refusal) => {
  expect(refusalToTransfer({ kind }, seconds)).toBe(refusal)
})

const needsGlobalAccess = 'The new Owner must hold a role with global access, such as Admin.'

test.each([
  ['self', 'owner', 'You are the Owner already.'],
  ['other', 'admin', null],
  ['other', 'manager', needsGlobalAccess],
  ['other', 'developer', needsGlobalAccess],
  ['other', 'service', needsGlobalAccess],
  ['other', 'custom', needsGlobalAccess],
] as const)('to %s of kind %s: %p', (id, kind, refusal) => {
  expect(refusalToBecomeOwner({ id: 'self' }, { id, kind })).toBe(refusal)
})
