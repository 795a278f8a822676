import { expect, test } from 'bun:test'
import type { CounterWindow } from '../../../src/core/sign-in/attempt-queries.ts'
import { createFullWindows } from '../../../src/core/sign-in/full-windows.ts'

const windowOf = (key: string, end = 60_000): CounterWindow => ({
  key,
  rate: { limit: 1, windowSeconds: 60 },
  start: end - 60_000,
  end,
})

test('a window that was added is full, the next window of its counter is not', () => {
  const full = createFullWindows()
  full.add(windowOf('a'))
  expect(full.has(windowOf('a'))).toBe(true)
  expect(full.has(windowOf('b'))).toBe(false)
  expect(full.has(windowOf('a', 120_000))).toBe(false)
})

test('beyond the most that are kept, the oldest window is forgotten', () => {
  const full = createFullWindows(2)
  for (const key of ['a', 'b', 'a', 'c']) full.add(windowOf(key))
  expect(['a', 'b', 'c'].map((key) => full.has(windowOf(key)))).toEqual([true, false, true])
})
