import { expect, test } from 'bun:test'
import { yieldToEventLoop, yieldWhenDue } from '../../src/core/yielding.ts'
import { countTurns, stoppedClock } from '../support/event-loop.ts'

/** Does so many steps with a pause after each. */
async function work(steps: number, pause = yieldWhenDue()): Promise<void> {
  for (let step = 0; step < steps; step++) await pause()
}

test('others get a turn after 500 steps, also where the clock stands still', async () => {
  using _clock = stoppedClock()
  using counter = countTurns()
  const pause = yieldWhenDue()
  await work(499, pause)
  expect(counter.turns).toBe(0)
  await pause()
  expect(counter.turns).toBe(1)
})

test('others get a turn after 5 ms', async () => {
  using clock = stoppedClock()
  using counter = countTurns()
  const pause = yieldWhenDue()
  clock.advance(4.9)
  await pause()
  expect(counter.turns).toBe(0)
  clock.advance(0.1)
  await pause()
  expect(counter.turns).toBe(1)
})

test('a browser, which has no setImmediate, gives others a turn, too', async () => {
  const { setImmediate } = globalThis
  Object.assign(globalThis, { setImmediate: undefined })
  try {
    await yieldToEventLoop()
  } finally {
    Object.assign(globalThis, { setImmediate })
  }
})

test('one slice of all long work runs in each turn of the event loop, each in its turn', async () => {
  using _clock = stoppedClock()
  using counter = countTurns()
  const slices: { name: number; turn: number }[] = []
  const loop = async (name: number) => {
    const pause = yieldWhenDue()
    for (let slice = 0; slice < 10; slice++) {
      await work(500, pause)
      slices.push({ name, turn: counter.turns })
    }
  }
  await Promise.all([1, 2, 3].map(loop))
  expect(new Set(slices.map(({ turn }) => turn)).size).toBe(slices.length)
  expect(slices.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, () => [1, 2, 3]).flat())
})

test('loops within one another have their slices together, however long they waited for the last', async () => {
  using clock = stoppedClock()
  const [outer, inner] = [yieldWhenDue(), yieldWhenDue()]
  await work(499, outer)
  const others = [1, 2, 3].map(async () => {
    const pause = yieldWhenDue()
    await work(499, pause)
    await pause()
    clock.advance(5)
  })
  await outer()
  using counter = countTurns()
  await work(100, inner)
  await work(100, outer)
  expect(counter.turns).toBe(0)
  await Promise.all(others)
})

test('long work whose request has ended keeps no other from going on', async () => {
  using clock = stoppedClock()
  const { setImmediate: real } = globalThis
  const pause = yieldWhenDue()
  await work(499, pause)
  // On some runtimes what a request waits for never comes once it has ended.
  globalThis.setImmediate = (() => 0) as unknown as typeof setImmediate
  void pause()
  globalThis.setImmediate = real
  clock.advance(101)
  await work(500)
})
