import { expect, test } from 'bun:test'
import type { Context } from '../../../src/context.ts'
import { createRepeatCounts } from '../../../src/core/audit/repeat-counts.ts'

test('a group is counted by the minute and by the hour', async () => {
  const repeats = createRepeatCounts({} as Pick<Context, 'db' | 'log'>)
  const add = (key: string, minute: number, group?: string) =>
    repeats.count(`${minute} ${key}`, { minute, ...(group && { group }) }, async () => key)
  const size = (minute: number) => Object.values(repeats.sizeOf('ada', minute))
  expect(size(600)).toEqual([0, 0])
  await add('one', 600, 'ada')
  await add('two', 600, 'ada')
  await add('three', 600, 'bob')
  await add('four', 600)
  expect(size(600)).toEqual([2, 2])
  expect(size(601)).toEqual([0, 2])
  await add('one', 659, 'ada')
  expect(size(659)).toEqual([1, 3])
  expect(size(660)).toEqual([0, 0])
  await add('one', 660, 'ada')
  expect(size(660)).toEqual([1, 1])
})
