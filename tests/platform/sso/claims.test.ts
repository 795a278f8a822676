import { expect, test } from 'bun:test'
import { emailOf, fullNameOf, subjectOf } from '../../../src/platform/sso/claims.ts'

test.each([
  ['ada@example.org', 'ada@example.org'],
  ['Ada.Lovelace+x@EXAMPLE.org', 'Ada.Lovelace+x@EXAMPLE.org'],
  ['', null],
  ['ada', null],
  ['ada@', null],
  ['@example.org', null],
  ['ada@example.org\n', null],
  ['ada@example.org\0', null],
  ['ada @example.org', null],
  ['ada@example.org,eve@example.org', null],
  ['ada\u202e@example.org', null],
  [`${'a'.repeat(250)}@b.org`, null],
  [['ada@example.org'], null],
  [{ value: 'ada@example.org' }, null],
  [undefined, null],
])('the address %p is %p', (email, expected) => {
  expect(emailOf([{ email, email_verified: true }], 'email_verified')).toEqual({
    email: expected,
    emailVerified: expected !== null,
  })
})

test.each([true, 'true', 1, '1'])('%p verifies an address', (email_verified) => {
  expect(emailOf([{ email: 'a@b.org', email_verified }], 'email_verified').emailVerified).toBe(true)
})

test.each([false, 'false', 0, '', null, undefined, 'yes', {}, [[true]], 2])(
  '%p verifies none',
  (email_verified) => {
    expect(emailOf([{ email: 'a@b.org', email_verified }], 'email_verified').emailVerified).toBe(false)
  },
)

test.each<[object[], string]>([
  [[{ name: 'Ada Lovelace' }], 'Ada Lovelace'],
  [[{ name: '  Ada\n\tLovelace\0 ' }], 'Ada Lovelace'],
  [[{ given_name: 'Ada', family_name: 'Lovelace' }], 'Ada Lovelace'],
  [[{ family_name: 'Lovelace' }], 'Lovelace'],
  [[{}, { name: 'Ada' }], 'Ada'],
  [[{ name: 7 }, { name: ['Ada'] }], ''],
  [[{ name: '\u202eAda\ud800' }], 'Ada'],
  [[{ name: '😀'.repeat(200) }], '😀'.repeat(128)],
  [[{ name: 'x'.repeat(5000) }], ''],
])('the name of %j is %p', (sources, expected) => {
  expect(fullNameOf(sources as Record<string, unknown>[])).toBe(expected)
})

test.each([
  ['248289761001', '248289761001'],
  ['auth0|5f7c', 'auth0|5f7c'],
  ['a'.repeat(255), 'a'.repeat(255)],
  ['a'.repeat(256), null],
  ['', null],
  ['é', null],
  ['a\n', null],
  [7, null],
  [null, null],
])('the subject %p is %p', (subject, expected) => {
  expect(subjectOf(subject)).toBe(expected)
})
