import { expect, test } from 'bun:test'
import { createUsage } from '../../src/platform/usage.ts'

test('the time that a share has used is added up; much at once makes it heavy', () => {
  const usage = createUsage(50)
  expect([usage.of('a'), usage.isHeavy('a')]).toEqual([0, false])
  for (let turn = 0; turn < 20; turn++) usage.add('a', 40)
  expect(usage.of('a')).toBeWithin(790, 801)
  usage.add('b', 60)
  usage.add('b', 1)
  expect([usage.isHeavy('a'), usage.isHeavy('b')]).toEqual([false, true])
})

test('of many shares, those that have used next to nothing are forgotten', () => {
  const usage = createUsage(50)
  usage.add('much', 400)
  for (let share = 0; share < 2500; share++) usage.add(`little ${share}`, 0.5)
  expect(usage.of('much')).toBeWithin(390, 401)
  expect(usage.of('little 0')).toBe(0)
  expect(usage.of('little 2499')).toBeGreaterThan(0)
})
