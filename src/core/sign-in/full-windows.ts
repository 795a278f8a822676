import type { CounterWindow } from './attempt-queries.ts'

/**
 * The windows that this process knows to be beyond their limit. Their counts only grow, so until they end nobody needs to ask
 * the database again: a flood of attempts that are refused costs it nothing.
 */
export type FullWindows = Readonly<{ add(window: CounterWindow): void; has(window: CounterWindow): boolean }>

/** Each has taken more attempts than its limit; the oldest is forgotten, and counted in the database again. */
const MOST = 10_000

/** Knows none at first. */
export function createFullWindows(most = MOST): FullWindows {
  const ends = new Map<string, number>()
  return {
    add: ({ key, end }) => {
      ends.delete(key)
      ends.set(key, end)
      const [oldest] = ends.keys()
      if (ends.size > most && oldest !== undefined) ends.delete(oldest)
    },
    has: ({ key, end }) => ends.get(key) === end,
  }
}
