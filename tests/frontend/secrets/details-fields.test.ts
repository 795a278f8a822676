import { afterEach, expect, test } from 'bun:test'
import { dayOf, NO_DETAILS, storedDetails } from '../../../src/frontend/app/secrets/details-fields.tsx'

const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

const stored = (expiresOn: string) => storedDetails({ ...NO_DETAILS, expiresOn }).expiresAt

test.each([
  ['UTC', '2027-01-31T00:00:00.000Z', '2027-01-31', '2027-01-31T00:00:00.000Z'],
  ['UTC', '0099-01-31T12:00:00.000Z', '0099-01-31', '0099-01-31T00:00:00.000Z'],
  ['UTC', '9999-12-31T23:59:59.999Z', '9999-12-31', '9999-12-31T00:00:00.000Z'],
  ['Asia/Tokyo', '2027-01-31T15:00:00.000Z', '2027-02-01', '2027-01-31T15:00:00.000Z'],
  ['Asia/Tokyo', '9999-12-31T23:59:59.999Z', '9999-12-31', '9999-12-30T15:00:00.000Z'],
  ['America/New_York', '2027-01-31T00:00:00.000Z', '2027-01-30', '2027-01-30T05:00:00.000Z'],
])('in %s, %s is on %s, which begins at %s', (timeZone, instant, day, start) => {
  process.env.TZ = timeZone
  expect([dayOf(instant), stored(dayOf(instant))]).toEqual([day, start])
})

test('every instant that can be stored has a day that the form can store again', () => {
  for (const timeZone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
    process.env.TZ = timeZone
    for (const instant of [
      '0001-01-01T00:00:00.000Z',
      '0999-12-31T23:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ])
      expect(stored(dayOf(instant))).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)
  }
})

test('what is no day is left to the server, which says so', () => {
  expect([stored(''), stored('12027-01-31')]).toEqual([null, '12027-01-31'])
})
