import { expect, test } from 'bun:test'
import { fakeClock } from '../../../src/platform/clock.ts'
import { openMemoryKv } from '../../../src/platform/kv/memory.ts'
import { openKv } from '../../../src/platform/kv/open.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { kvContract } from './kv.contract.ts'

kvContract('in memory', true, async () => {
  const clock = fakeClock()
  const kv = openKv({ kind: 'memory' }, clock, recordedLog().log, { openRedis: null })
  return { kv, advance: clock.advance, close: kv.close }
})

test('a counter is gone exactly when its window ends, by the clock that was given', async () => {
  const clock = fakeClock()
  const kv = openMemoryKv(clock)
  await kv.increment('key', 60)
  clock.advance(59.999)
  expect(await kv.increment('key', 60)).toEqual({ count: 2, resetSeconds: 1 })
  clock.advance(0.001)
  expect(await kv.increment('key', 60)).toEqual({ count: 1, resetSeconds: 60 })
})

test('a counter that was begun before the clock was set back begins anew', async () => {
  const clock = fakeClock()
  const kv = openMemoryKv(clock)
  clock.advance(7200)
  await kv.increment('key', 60)
  clock.advance(-7200)
  expect(await kv.increment('key', 60)).toEqual({ count: 1, resetSeconds: 60 })
  expect(await kv.increment('key', 60)).toEqual({ count: 2, resetSeconds: 60 })
})

test('a full store forgets the oldest window and keeps the others', async () => {
  const kv = openMemoryKv(fakeClock(), 3)
  for (const key of ['a', 'b', 'c', 'd']) await kv.increment(key, 60)
  expect((await kv.increment('b', 60))?.count).toBe(2)
  expect((await kv.increment('d', 60))?.count).toBe(2)
  expect((await kv.increment('a', 60))?.count).toBe(1)
})

test('a window that was started again counts as the youngest', async () => {
  const clock = fakeClock()
  const kv = openMemoryKv(clock, 2)
  await kv.increment('a', 1)
  await kv.increment('b', 60)
  clock.advance(1)
  await kv.increment('a', 60)
  await kv.increment('c', 60)
  expect((await kv.increment('a', 60))?.count).toBe(2)
})

test('counters that have ended are dropped without being asked for again', async () => {
  const clock = fakeClock()
  const kv = openMemoryKv(clock, 3)
  await kv.increment('long', 3600)
  await kv.increment('short', 1)
  await kv.increment('brief', 1)
  clock.advance(10)
  await kv.increment('x', 60)
  await kv.increment('y', 60)
  expect((await kv.increment('long', 3600))?.count).toBe(2)
})

test('the Redis of Bun is not needed to open the other stores', async () => {
  const program = `
    import { systemClock } from './src/platform/clock.ts'
    import { openKv } from './src/platform/kv/open.ts'
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const memory = openKv({ kind: 'memory' }, systemClock, log, { openRedis: null })
    console.log((await memory.increment('key', 60)).count)
    const upstash = openKv({ kind: 'upstash', url: 'http://127.0.0.1:1', token: 'none' }, systemClock, log, { openRedis: null })
    console.log(await upstash.increment('key', 60))
    try { openKv({ kind: 'redis', url: 'redis://127.0.0.1:1', ca: null }, systemClock, log, { openRedis: null }) }
    catch (error) { console.log(error.message) }
  `
  const deno = Bun.spawn(['node_modules/.bin/deno', 'eval', '--node-modules-dir=manual', program], {
    cwd: `${import.meta.dir}/../../..`,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([deno.stdout.text(), deno.stderr.text()])
  expect({ output, errors }).toEqual({
    output:
      '1\nnull\nREDIS_URL and REDIS_HOST need Bun: set UPSTASH_REDIS_REST_URL here, or none of them where a single process runs.\n',
    errors: '',
  })
}, 60_000)
