import { expect, test } from 'bun:test'
import { refusalBy } from '../../../src/core/policy.ts'
import { admit, link, start, takeAccount } from '../../../src/core/sso/policy.ts'

const statusOf = (refusal: { status: number } | null) => refusal?.status ?? null
const provider = 'Example'
const both = [true, false]

test('only the first account needs the setup token', () => {
  const refused = both.flatMap((isFirst) =>
    both
      .filter((hasSetupToken) => refusalBy(start, { isFirst, hasSetupToken }) !== null)
      .map((hasSetupToken) => ({ isFirst, hasSetupToken })),
  )
  expect(refused).toEqual([{ isFirst: true, hasSetupToken: false }])
})

test('whoever is let in has a verified, usable address of an allowed domain', () => {
  const facts = both.flatMap((isVerified) =>
    both.flatMap((isUsable) =>
      both.map((isAllowedDomain) => ({ provider, isVerified, isUsable, isAllowedDomain })),
    ),
  )
  expect(facts.filter((one) => refusalBy(admit, one) === null)).toEqual([
    { provider, isVerified: true, isUsable: true, isAllowedDomain: true },
  ])
})

test('an account of the same address is taken with a permission, or unclaimed with an invite', () => {
  const facts = both.flatMap((isPermitted) =>
    both.flatMap((hasInvite) =>
      both.map((isUnclaimed) => ({ provider, isPermitted, hasInvite, isUnclaimed })),
    ),
  )
  const allowed = facts.filter((one) => refusalBy(takeAccount, one) === null)
  expect(allowed).toEqual(
    facts.filter(({ isPermitted, hasInvite, isUnclaimed }) => isPermitted || (hasInvite && isUnclaimed)),
  )
  expect(allowed).toHaveLength(5)
})

test.each([
  [null, false, null],
  ['ada', false, null],
  ['eve', false, 409],
  [null, true, 409],
  ['eve', true, 409],
])('linking an identity of %p, beside another one: %p, is %p', (linkedUserId, hasAnother, expected) => {
  expect(statusOf(refusalBy(link, { provider, userId: 'ada', linkedUserId, hasAnother }))).toBe(expected)
})
