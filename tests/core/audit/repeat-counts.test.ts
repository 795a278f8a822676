import { expect, test } from 'bun:test'
import type { Context } from '../../../src/context.ts'
import { createRepeatCounts } from '../../../src/core/audit/repeat-counts.ts'
import { createLog } from '../../../src/platform/log.ts'

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

test('what could not be written is written later, also where a minute has passed meanwhile', async () => {
  const written: { id: string; count: number }[] = []
  const write = Promise.withResolvers<void>()
  let fails = true
  const db = Object.assign(
    async () => {
      if (!fails) return []
      fails = false
      await write.promise
      throw new Error('no')
    },
    {
      json: (counts: { id: string; count: number }[]) => {
        if (!fails) written.push(...counts)
        return counts
      },
    },
  )
  const repeats = createRepeatCounts({ db, log: createLog('silent') } as unknown as Context)
  const add = (minute: number) => repeats.count(`${minute}`, { minute }, async () => `entry of ${minute}`)
  for (let time = 0; time < 4; time++) await add(600)
  const flushed = repeats.flush()
  await add(601)
  write.resolve()
  await flushed
  await repeats.stop()
  expect(written).toEqual([{ id: 'entry of 600', count: 3 }])
})

test('an entry that is being stored, or can’t be, keeps no other count from being written', async () => {
  const written: string[] = []
  const db = Object.assign(async () => [], {
    json: (counts: { id: string }[]) => {
      written.push(...counts.map(({ id }) => id))
      return counts
    },
  })
  const repeats = createRepeatCounts({ db, log: createLog('silent') } as unknown as Context)
  const add = (key: string, insert: () => Promise<string>) => repeats.count(key, { minute: 600 }, insert)
  const slow = Promise.withResolvers<string>()
  const failing = Promise.withResolvers<string>()
  const waiting = ['slow', 'slow'].map((key) => add(key, () => slow.promise))
  const refused = ['failing', 'failing'].map((key) => add(key, () => failing.promise).catch(() => 'refused'))
  for (let time = 0; time < 2; time++) await add('stored', async () => 'stored')
  await repeats.flush()
  expect(written).toEqual(['stored'])
  failing.reject(new Error('no'))
  expect(await Promise.all<unknown>(refused)).toEqual(['refused', 'refused'])
  slow.resolve('slow')
  await Promise.all(waiting)
  await repeats.stop()
  expect(written).toEqual(['stored', 'slow'])
})
