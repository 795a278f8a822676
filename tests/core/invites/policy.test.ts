import { expect, test } from 'bun:test'
import { refusalToInviteTo } from '../../../src/core/invites/invite.ts'

test.each([
  ['owner', true],
  ['admin', true],
  ['manager', false],
  ['developer', false],
  ['service', false],
  ['custom', false],
] as const)('an invite to the %s role is refused: %p', (kind, isRefused) => {
  expect(refusalToInviteTo(kind) !== null).toBe(isRefused)
})
