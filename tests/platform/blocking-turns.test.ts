import { expect, test } from 'bun:test'
import { createBlockingTurns, ProcessorBusy } from '../../src/platform/blocking-turns.ts'
import { countTurns, stoppedClock } from '../support/event-loop.ts'

/** Works of callers, so many milliseconds each by a clock of their own, in the order in which they are done. */
async function done(callers: readonly string[], milliseconds: number, others = 0) {
  using clock = stoppedClock()
  using counter = countTurns()
  const wait = createBlockingTurns()
  let isOver = false
  const takeTime = () => {
    clock.advance(others)
    if (!isOver) setImmediate(takeTime)
  }
  setImmediate(takeTime)
  const work: { caller: string; turn: number }[] = []
  await Promise.all(
    callers.map(async (caller) => {
      const end = await wait(caller)
      clock.advance(milliseconds)
      work.push({ caller, turn: counter.turns })
      end()
    }),
  )
  isOver = true
  return work
}

test('work that blocks the event loop is done in turns of callers, each with the loop’s own turns after it', async () => {
  const work = await done(['ada', 'ada', 'ada', 'bob'], 5)
  expect(work.map(({ caller }) => caller)).toEqual(['ada', 'bob', 'ada', 'ada'])
  for (const [index, { turn }] of work.slice(1).entries())
    expect(turn).toBeGreaterThan(work[index]?.turn ?? Infinity)
})

test('small work is done together until it is 5 ms, however long the turns of the event loop take', async () => {
  const work = await done(Array<string>(20).fill('ada'), 0.625, 10)
  const turns = [...new Set(work.map(({ turn }) => turn))]
  expect(turns.map((turn) => work.filter((one) => one.turn === turn).length)).toEqual([8, 8, 4])
})

test('after work that blocks the event loop others have it for as long', async () => {
  const wait = createBlockingTurns()
  const end = await wait('ada')
  const start = performance.now()
  while (performance.now() - start < 50);
  end()
  const ended = performance.now()
  await wait('bob')
  expect(performance.now() - ended).toBeGreaterThanOrEqual(49)
})

test('a turn that nobody ends is over with the turn of the event loop', async () => {
  const wait = createBlockingTurns()
  await wait('ada')
  await wait('bob')
})

test('who waits too long is told why', async () => {
  const { setImmediate: real } = globalThis
  const wait = createBlockingTurns()
  globalThis.setImmediate = (() => 0) as unknown as typeof setImmediate
  await wait('ada')
  globalThis.setImmediate = real
  await expect(wait('bob')).rejects.toThrow(ProcessorBusy)
})
