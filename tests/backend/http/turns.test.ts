import { expect, test } from 'bun:test'
import type { RequestState } from '../../../src/backend/http/request-state.ts'
import { createTurns } from '../../../src/backend/http/turns.ts'
import type { Context } from '../../../src/context.ts'
import { LARGE_READ_BYTES } from '../../../src/core/large-reads.ts'
import { createFairLimiter } from '../../../src/platform/limiter.ts'

const limiter = (concurrency = 1) =>
  createFairLimiter({ concurrency, concurrencyEach: 1, heavyMilliseconds: 500, queueEach: 10 })
const BUSY = { status: 503, message: 'Too many large answers are being made. Try again in a second.' }

/** A request for a large answer, of a process in which one reads, and so many make large answers at a time. */
function largeRequest(size = LARGE_READ_BYTES + 1, concurrency = 1) {
  const limits = { limitReads: limiter(), limitLargeReads: limiter(concurrency), limitPublic: limiter() }
  const state = {
    caller: { id: 'ada', responsibleId: 'ada', branchId: 'ada' },
    endTurn: null,
    endLargeRead: null,
    isHandled: false,
    isAnswered: false,
  } as unknown as RequestState
  const room = createTurns(limits as unknown as Context, () => state).roomFor(new Request('http://localhost'))
  let reads = 0
  const read = () =>
    room.read(
      async () => ++reads,
      () => size,
      async () => size,
    )
  const answer = () => {
    state.isAnswered = true
    state.endLargeRead?.()
  }
  return { ...limits, read, answer, reads: () => reads }
}

test('a large read that waits for its turn to read is not read any more once its request is answered', async () => {
  const { limitReads, limitLargeReads, read, answer, reads } = largeRequest()
  const endLarge = await limitLargeReads.enter('grace')
  const endRead = await limitReads.enter('grace')
  const reading = read()
  await Bun.sleep(1)
  endLarge()
  await Bun.sleep(1)
  answer()
  endRead()
  await expect(reading).rejects.toMatchObject(BUSY)
  expect(reads()).toBe(0)
})

test('an answered request that had a turn for a large answer reads nothing more', async () => {
  const { limitLargeReads, read, answer, reads } = largeRequest()
  await read()
  expect(limitLargeReads.isFree('grace')).toBe(false)
  answer()
  await expect(read()).rejects.toMatchObject(BUSY)
  expect(reads()).toBe(1)
})

test('who makes very large answers leaves a turn to the others', async () => {
  const { limitLargeReads, read, answer } = largeRequest(16 * LARGE_READ_BYTES, 2)
  await read()
  answer()
  limitLargeReads.charge('grace', 1000)
  const endOfGrace = await limitLargeReads.enter('grace')
  expect([limitLargeReads.isFree('ada'), limitLargeReads.isFree('alan')]).toEqual([false, true])
  endOfGrace()
})

test('what is read for one answer in many pieces counts together, each piece once', async () => {
  const { limitLargeReads, read } = largeRequest(LARGE_READ_BYTES / 2, 2)
  const charged: (number | undefined)[][] = []
  const { charge } = limitLargeReads
  Object.assign(limitLargeReads, {
    charge: (caller: string, ...time: [number, number?]) => {
      charged.push(time)
      charge(caller, ...time)
    },
  })
  await read()
  await read()
  expect(charged).toEqual([])
  await read()
  await read()
  expect(charged).toEqual([
    [96, 96],
    [32, 128],
  ])
  expect(limitLargeReads.isFree('ada')).toBe(false)
})

test('requests of strangers whose clients leave keep no places in the line', async () => {
  const limits = { limitPublic: limiter() }
  const state = { source: { ipAddress: '192.0.2.1' }, endTurn: null } as unknown as RequestState
  const { waitForPublicTurn } = createTurns(limits as unknown as Context, () => state)
  const endOther = await limits.limitPublic.enter('another site')
  const left = new AbortController()
  const waiting = Array.from({ length: 10 }, () =>
    waitForPublicTurn(new Request('http://localhost', { signal: left.signal }), null),
  )
  left.abort()
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected')
  const stays = waitForPublicTurn(new Request('http://localhost'), null)
  endOther()
  await stays
  state.endTurn?.()
})
