import { describe, expect, test } from 'bun:test'
import { codeOf, newSecret, stepOf, stepOfCode, uriOf } from '../../../src/core/second-factor/totp-codes.ts'

/** `12345678901234567890`, the secret of RFC 6238, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

const at = (seconds: number) => new Date(seconds * 1000)

describe('the code of a time step', () => {
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('at %i seconds is that of RFC 6238: %s', (seconds, code) => {
    expect(codeOf(SECRET, stepOf(at(seconds)))).toBe(code)
    expect(stepOfCode(SECRET, code, at(seconds))).toBe(Math.floor(seconds / 30))
  })

  test('is found one step either side, and no further', () => {
    const now = at(1_800_000_000)
    const found = [-2, -1, 0, 1, 2].map((later) =>
      stepOfCode(SECRET, codeOf(SECRET, stepOf(now) + later), now),
    )
    expect(found).toEqual(
      [null, -1, 0, 1, null].map((later) => (later === null ? null : stepOf(now) + later)),
    )
  })

  test('may be written with spaces, and is nothing else', () => {
    expect(stepOfCode(SECRET, ' 287 082 ', at(59))).toBe(1)
    for (const code of ['', '28708', '2870822', '287O82', '２８７０８２'])
      expect(stepOfCode(SECRET, code, at(59))).toBeNull()
  })
})

test('a secret has 160 random bits, and its address names whose it is', () => {
  const secrets = Array.from({ length: 50 }, newSecret)
  expect(new Set(secrets).size).toBe(50)
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  const uri = new URL(uriOf(SECRET, 'Keyward example.org', 'ada+x@example.org'))
  expect(decodeURIComponent(uri.pathname)).toBe('/Keyward example.org:ada+x@example.org')
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'Keyward example.org',
    secret: SECRET,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
