import { spyOn } from 'bun:test'

/** Counts turns of the event loop until it is disposed of. */
export function countTurns() {
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
    [Symbol.dispose]: () => {
      isOver = true
    },
  }
}

/**
 * Has `performance.now` stand still until it is disposed of: so a slow machine ends no slice of work. It stands at a whole
 * number, from which differences are exact.
 */
export function stoppedClock() {
  let time = Math.ceil(performance.now())
  const now = spyOn(performance, 'now').mockImplementation(() => time)
  return {
    advance: (milliseconds: number) => {
      time += milliseconds
    },
    [Symbol.dispose]: () => now.mockRestore(),
  }
}
