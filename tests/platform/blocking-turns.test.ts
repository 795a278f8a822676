import { expect, test } from 'bun:test'
import { createBlockingTurns } from '../../src/platform/blocking-turns.ts'

/** Work of callers that blocks the event loop for so long each, in the order in which it is done, with the loop's turns. */
async function done(callers: readonly string[], milliseconds: number) {
  const wait = createBlockingTurns()
  let [turn, isOver] = [0, false]
  const countTurns = () => {
    turn++
    if (!isOver) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const work: { caller: string; turn: number; start: number; end: number }[] = []
  await Promise.all(
    callers.map(async (caller) => {
      await wait(caller)
      const start = performance.now()
      while (performance.now() - start < milliseconds);
      work.push({ caller, turn, start, end: performance.now() })
    }),
  )
  isOver = true
  return work
}

test('work that blocks the event loop is done in turns of callers, each with the loop’s own turns after it', async () => {
  const work = await done(['ada', 'ada', 'ada', 'bob'], 5)
  expect(work.map(({ caller }) => caller)).toEqual(['ada', 'bob', 'ada', 'ada'])
  for (const [index, { turn }] of work.slice(1).entries()) {
    expect(turn).toBeGreaterThan((work[index]?.turn ?? 0) + 1)
  }
})

test('after work that blocks the event loop others have it for as long', async () => {
  const [first, second] = await done(['ada', 'bob'], 50)
  expect((second?.start ?? 0) - (first?.end ?? 0)).toBeGreaterThanOrEqual(49)
})
