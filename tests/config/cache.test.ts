import { expect, test } from 'bun:test'
import { testConfig } from '../support/context.ts'

test.each([
  ['0', 0],
  ['4096', 4096],
])('CACHE_MEGABYTES may be %s', (value, megabytes) => {
  expect(testConfig({ CACHE_MEGABYTES: value }).cacheMegabytes).toBe(megabytes)
})

test.each(['-1', '4097', 'off', '1.5'])('CACHE_MEGABYTES can’t be %s', (value) => {
  expect(() => testConfig({ CACHE_MEGABYTES: value })).toThrow(
    `CACHE_MEGABYTES is "${value}"; it must be a whole number from 0 to 4096.`,
  )
})
