import type { CounterWindow } from './attempt-queries.ts'

/**
 * The windows that this process knows to be beyond their limit. A count only grows, so a window that is full stays full until
 * it ends: further attempts are refused without asking the database.
 */
export type FullWindows = Readonly<{ add(window: CounterWindow): void; has(window: CounterWindow): boolean }>

/** Beyond so many the oldest is forgotten; its attempts are counted in the database again. */
const MOST = 10_000

/** Makes the memory of full windows, which holds `most` of them. */
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
