import { expect, test } from 'bun:test'
import type { Context } from '../../../src/context.ts'
import { personOf } from '../../../src/core/sso/profile.ts'
import { testConfig } from '../../support/context.ts'

const profile = {
  issuer: 'https://idp.example.org',
  subject: 'ada',
  email: 'Ada@Example.org',
  emailVerified: true,
  fullName: 'Ada Lovelace',
}
const context = (environment: Record<string, string> = {}) =>
  ({ config: testConfig(environment) }) as unknown as Context
const person = (changes: object, environment: Record<string, string> = {}) =>
  personOf(context(environment), 'Example', { ...profile, ...changes })

test('a person is an identity, and an address as it is compared', () => {
  expect(person({})).toEqual({
    issuer: 'https://idp.example.org',
    subject: 'ada',
    email: 'Ada@Example.org',
    emailKey: 'ada@example.org',
    fullName: 'Ada Lovelace',
  })
})

test('an address that is not verified, or not there, is refused', () => {
  const sentence =
    'Example does not say that your e-mail address is verified. Verify it there, then sign in again.'
  expect(() => person({ emailVerified: false })).toThrow(sentence)
  expect(() => person({ email: null })).toThrow(sentence)
})

test.each([
  // The Kelvin sign, which is k in lower case, and the dotted capital I, which is i with a mark.
  '\u212Aate@example.org',
  'ad\u0130@example.org',
  // Cyrillic а, full-width letters, a soft hyphen, a zero-width space, a full-width @ and dot.
  '\u0430da@example.org',
  '\uFF41da@example.org',
  'a\u00ADda@example.org',
  'a\u200Bda@example.org',
  'ada\uFF20example.org',
  'ada@example\u3002org',
  'ada@ex\u0430mple.org',
  'ada@example.org\0',
  ' ada@example.org',
  'ada@example.org\n',
  'Ada <ada@example.org>',
  'ada@example.org,eve@example.org',
  'ada',
  '',
])('%p passes for no address', (email) => {
  expect(() => person({ email })).toThrow("has an e-mail address or an id that can't be used here")
})

test.each([{ subject: '' }, { subject: 'a'.repeat(256) }, { subject: 'a\0' }, { issuer: '' }])(
  '%j is no identity',
  (changes) => {
    expect(() => person(changes)).toThrow("has an e-mail address or an id that can't be used here")
  },
)

test('only addresses of allowed domains are let in', () => {
  const allowed = { ALLOWED_EMAIL_DOMAINS: 'example.org' }
  expect(person({}, allowed).emailKey).toBe('ada@example.org')
  for (const email of ['ada@example.com', 'ada@team.example.org', 'ada@example.org.evil.com'])
    expect(() => person({ email }, allowed)).toThrow('E-mail addresses of this domain may not sign in here.')
})

test.each([
  ['  Ada  ', 'Ada'],
  ['e\u0301', '\u00e9'],
  ['', ''],
  ['Ada\u202Egnp.exe', ''],
  ['a'.repeat(129), ''],
  [`a${'\u0301'.repeat(40)}`, ''],
  ['ada@example.org', ''],
])('the name %p is kept as %p', (fullName, expected) => {
  expect(person({ fullName }).fullName).toBe(expected)
})
