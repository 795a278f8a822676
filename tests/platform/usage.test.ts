import { expect, test } from 'bun:test'
import { createUsage } from '../../src/platform/usage.ts'

test('the time that a share has used is added up, and makes it heavy', () => {
  const usage = createUsage()
  expect(usage.of('a')).toBe(0)
  usage.add('a', 300)
  usage.add('b', 1)
  expect(usage.isHeavy('a')).toBe(false)
  usage.add('a', 300)
  expect(usage.of('a')).toBeWithin(590, 601)
  expect([usage.isHeavy('a'), usage.isHeavy('b')]).toEqual([true, false])
})

test('of many shares, those that have used next to nothing are forgotten', () => {
  const usage = createUsage()
  usage.add('much', 400)
  for (let share = 0; share < 2500; share++) usage.add(`little ${share}`, 0.5)
  expect(usage.of('much')).toBeWithin(390, 401)
  expect(usage.of('little 0')).toBe(0)
  expect(usage.of('little 2499')).toBeGreaterThan(0)
})
