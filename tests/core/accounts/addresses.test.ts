import { expect, test } from 'bun:test'
import { isAllowedAddress } from '../../../src/core/accounts/addresses.ts'

test.each([
  ['ada@example.org', [], true],
  ['ada@example.org', ['example.org'], true],
  ['Ada@EXAMPLE.org', ['example.org'], true],
  ['ada@example.org', ['example.com', 'example.org'], true],
  ['ada@team.example.org', ['example.org'], false],
  ['ada@team.example.org', ['.example.org'], true],
  ['ada@example.org', ['.example.org'], false],
  ['ada@evilexample.org', ['example.org'], false],
  ['ada@evilexample.org', ['.example.org'], false],
  ['ada@example.org.evil.com', ['example.org'], false],
  ['example.org@evil.com', ['example.org'], false],
] as const)('%s with ALLOWED_EMAIL_DOMAINS %j: %p', (email, allowedEmailDomains, expected) => {
  expect(isAllowedAddress({ allowedEmailDomains }, email)).toBe(expected)
})
