import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { CreateToken, expiryFrom } from '../../../src/core/tokens/token.ts'
import { newToken, tokenKind } from '../../../src/core/tokens/token-text.ts'

const now = new Date('2026-01-01T00:00:00Z')
const check = TypeCompiler.Compile(CreateToken)
const longest = 3653 * 24 * 3600

describe('the expiry of a token', () => {
  test.each([
    [{}, null],
    [{ expires_in: 1 }, '2026-01-01T00:00:01.000Z'],
    [{ expires_in: longest }, '2036-01-02T00:00:00.000Z'],
    [{ expires_at: '2026-01-01T00:00:00.001Z' }, '2026-01-01T00:00:00.001Z'],
    [{ expires_at: '2026-01-01T02:00:00+01:30' }, '2026-01-01T00:30:00.000Z'],
    [{ expires_at: '2025-12-31T20:00-05:00' }, '2026-01-01T01:00:00.000Z'],
    [{ expires_at: '2028-02-29T12:00:00Z' }, '2028-02-29T12:00:00.000Z'],
    [{ expires_at: '2036-01-01T00:00:00Z' }, '2036-01-01T00:00:00.000Z'],
  ])('%j is %p', (input, expected) => {
    expect(check.Check({ name: 'x', ...input })).toBe(true)
    expect(expiryFrom(input, now)?.toISOString() ?? null).toBe(expected)
  })

  test.each([
    [{ expires_at: '2026-01-01T00:00:00Z' }, 'expires_at must be in the future.'],
    [{ expires_at: '2026-01-01T00:59:59+01:00' }, 'expires_at must be in the future.'],
    [{ expires_at: '0000-01-01T00:00:00Z' }, 'expires_at must be in the future.'],
    [{ expires_at: '2036-01-02T00:00:00.001Z' }, 'expires_at must be at most ten years ahead.'],
    [{ expires_at: '9999-12-31T23:59:59Z' }, 'expires_at must be at most ten years ahead.'],
    [
      { expires_at: '2027-01-01T00:00:00Z', expires_in: 60 },
      'Send either expires_at or expires_in, not both.',
    ],
  ])('%j is refused: %s', (input, sentence) => {
    expect(() => expiryFrom(input, now)).toThrow(sentence)
  })

  test.each([
    '2027-01-01',
    '2027-01-01T00:00:00',
    '2027-01-01 00:00:00Z',
    '2027-02-29T00:00:00Z',
    '2027-02-30T00:00:00+01:00',
    '2027-04-31T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-01-01T24:00:00Z',
    '2027-01-01T00:60:00Z',
    '2027-01-01T00:00:00+24:00',
    '2027-01-01T00:00:00+01:60',
    '+012027-01-01T00:00:00Z',
    'tomorrow',
    '1798761600',
    '',
  ])('%j is refused', (expires_at) => {
    expect(check.Check({ name: 'x', expires_at })).toBe(false)
  })

  test.each([0, -1, 1.5, longest + 1, '60', null])('%j seconds are refused', (expires_in) => {
    expect(check.Check({ name: 'x', expires_in })).toBe(false)
  })
})

describe('the text of a token', () => {
  test.each(['pat', 'sat', 'ses', 'cookie'] as const)('a new %s is recognised by its kind', (kind) => {
    expect(tokenKind(newToken(kind))).toBe(kind)
  })

  test('a wrong character anywhere is found without a query', () => {
    const token = newToken('pat')
    for (let at = 0; at < token.length; at++) {
      const typo = token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1)
      expect(tokenKind(typo)).toBeNull()
    }
  })

  test('has the documented form', () => {
    expect(newToken('pat')).toMatch(/^kw_pat_[0-9A-Za-z]{49}$/)
    expect(newToken('sat')).toMatch(/^kw_sat_[0-9A-Za-z]{49}$/)
    expect(newToken('ses')).toMatch(/^kw_ses_[0-9A-Za-z]{49}$/)
  })
})
