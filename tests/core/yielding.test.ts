import { expect, spyOn, test } from 'bun:test'
import { yieldToEventLoop, yieldWhenDue } from '../../src/core/yielding.ts'

/** Does so many steps with a pause after each. */
async function work(steps: number, pause = yieldWhenDue()): Promise<void> {
  for (let step = 0; step < steps; step++) await pause()
}

test('others get a turn after a slice, also where the clock stands still', async () => {
  let isServed = false
  setImmediate(() => {
    isServed = true
  })
  const now = spyOn(performance, 'now').mockReturnValue(performance.now())
  const pause = yieldWhenDue()
  await work(499, pause)
  expect(isServed).toBe(false)
  await pause()
  expect(isServed).toBe(true)
  now.mockRestore()
  using counter = countTurns()
  const start = performance.now()
  while (performance.now() - start < 30) await work(1, pause)
  expect(counter.turns).toBeGreaterThanOrEqual(3)
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
  const [outer, inner] = [yieldWhenDue(), yieldWhenDue()]
  await work(499, outer)
  const others = [1, 2, 3].map(async () => {
    const pause = yieldWhenDue()
    await work(499, pause)
    const waiting = pause()
    await waiting
    const start = performance.now()
    while (performance.now() - start < 5);
  })
  await outer()
  using counter = countTurns()
  await work(100, inner)
  await work(100, outer)
  expect(counter.turns).toBe(0)
  await Promise.all(others)
})

test('long work that ended without a word keeps no other from going on', async () => {
  const { setImmediate: real } = globalThis
  // On some runtimes what a request waits for never comes once it has ended.
  globalThis.setImmediate = (() => 0) as unknown as typeof setImmediate
  void work(500)
  globalThis.setImmediate = real
  await Bun.sleep(1001)
  await work(500)
})

/** Counts turns of the event loop until it is disposed of. */
function countTurns() {
  let [turns, isOver] = [0, false]
  const next = () => {
    turns++
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  return {
    get turns() {
      return turns
    },
    [Symbol.dispose]: () => (isOver = true),
  }
}
