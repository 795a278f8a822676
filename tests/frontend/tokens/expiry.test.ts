import { describe, expect, test } from 'bun:test'
import { endOf, endsSoon, isExpired } from '../../../src/frontend/app/tokens/expiry.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const inDays = (days: number) => ({ expiresAt: new Date(NOW + days * 86_400_000).toISOString() })

describe('the end of a token', () => {
  test('has passed, comes within two weeks, or later, or never', () => {
    const marks = [inDays(-1), inDays(0), inDays(13), inDays(15), { expiresAt: null }]
    expect(marks.map((token) => isExpired(token, NOW))).toEqual([true, true, false, false, false])
    expect(marks.map((token) => endsSoon(token, NOW))).toEqual([false, false, true, false, false])
  })

  test('is some days from now, the end of a day, none, or still to be chosen', () => {
    expect(endOf('30', '', NOW)?.getTime()).toBe(NOW + 30 * 86_400_000)
    expect(endOf('day', '2027-02-19', NOW)).toEqual(new Date(2027, 1, 19, 23, 59, 59))
    expect(endOf('never', '', NOW)).toBeNull()
    expect(endOf('day', '', NOW)).toBeUndefined()
  })
})
