import { expect, test } from 'bun:test'
import { endOf } from '../../../src/frontend/app/tokens/expiry.ts'

const NOW = new Date('2026-11-22T08:00:00Z')

test('a token ends in so many days, at the end of a day, or never', () => {
  expect(endOf('30', '', NOW)?.toISOString()).toBe('2026-12-22T08:00:00.000Z')
  expect(endOf('365', '', NOW)?.toISOString()).toBe('2027-11-22T08:00:00.000Z')
  expect(endOf('never', '2026-12-24', NOW)).toBeNull()
  expect(endOf('day', '2026-12-24', NOW)?.getDate()).toBe(24)
  expect(endOf('day', '2026-12-24', NOW)?.getHours()).toBe(23)
})

test('while no day is chosen there is no end', () => expect(endOf('day', '', NOW)).toBeNull())
