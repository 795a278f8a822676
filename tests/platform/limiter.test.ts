import { expect, test } from 'bun:test'
import { createLimiter, TooBusyError } from '../../src/platform/limiter.ts'

/** Work that lasts until it is told to end, and notes when it began. */
function controlled(name: string, begun: string[]) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const work = () => {
    begun.push(name)
    return promise
  }
  return { work, end: () => resolve(name) }
}

test('as many as are allowed run at once, and the others in the order in which they came', async () => {
  const gate = createLimiter({ concurrency: 2, queue: 10 })
  const begun: string[] = []
  const jobs = ['a', 'b', 'c', 'd'].map((name) => controlled(name, begun))
  const outcomes = jobs.map((job) => gate(job.work))
  await Bun.sleep(1)
  expect(begun).toEqual(['a', 'b'])
  jobs[1]?.end()
  await outcomes[1]
  expect(begun).toEqual(['a', 'b', 'c'])
  for (const job of jobs) job.end()
  expect(await Promise.all(outcomes)).toEqual(['a', 'b', 'c', 'd'])
})

test('a full queue refuses at once', async () => {
  const gate = createLimiter({ concurrency: 1, queue: 1 })
  const job = controlled('a', [])
  const outcomes = [gate(job.work), gate(job.work)]
  await expect(gate(job.work)).rejects.toBeInstanceOf(TooBusyError)
  job.end()
  await Promise.all(outcomes)
})

test('work that waited too long is refused and never starts', async () => {
  const gate = createLimiter({ concurrency: 1, queue: 1, waitMilliseconds: 20 })
  const begun: string[] = []
  const [first, late, next] = ['first', 'late', 'next'].map((name) => controlled(name, begun))
  if (!first || !late || !next) throw new Error('unreachable')
  const running = gate(first.work)
  await expect(gate(late.work)).rejects.toBeInstanceOf(TooBusyError)
  first.end()
  next.end()
  await running
  // Nor does it keep its place in line, or the one that it would have had.
  expect(await Promise.all([gate(next.work), gate(next.work)])).toEqual(['next', 'next'])
  expect(begun).toEqual(['first', 'next', 'next'])
})

test('work that waited for less than the limit may last longer than it', async () => {
  const gate = createLimiter({ concurrency: 1, queue: 1, waitMilliseconds: 50 })
  const slow = () => Bun.sleep(40).then(() => 'done')
  const slower = () => Bun.sleep(80).then(() => 'done')
  expect(await Promise.all([gate(slow), gate(slower)])).toEqual(['done', 'done'])
})

test('failed work frees its slot', async () => {
  const gate = createLimiter({ concurrency: 1, queue: 1 })
  const outcomes = [gate(() => Promise.reject(new Error('no'))), gate(async () => 'yes')]
  expect(await Promise.allSettled(outcomes)).toMatchObject([{ status: 'rejected' }, { value: 'yes' }])
})
