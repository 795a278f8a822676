/** The only source of the present: rules, expiries and timestamps ask it, never SQL's `now()`. */
export type Clock = { now(): Date }

/** The machine's own time. */
export const systemClock: Clock = { now: () => new Date() }

/** A clock for tests that stands still until it is told to move. */
export function fakeClock(
  start = new Date('2026-01-01T00:00:00Z'),
): Clock & { advance(seconds: number): void } {
  let now = start.getTime()
  return {
    now: () => new Date(now),
    advance: (seconds) => {
      now += seconds * 1000
    },
  }
}
