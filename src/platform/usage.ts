/** How much time shares have used of late. */
export type Usage = Readonly<{
  /** Milliseconds; what was used a half-life ago counts half, twice as long ago a quarter. */
  of(share: string): number
  /** Whether it has used much at once. */
  isHeavy(share: string): boolean
  /** Adds time; `atOnce` is what counts towards being heavy, all of it unless told. */
  add(share: string, milliseconds: number, atOnce?: number): void
}>

const MINUTE_MS = 60_000

/** So many shares are remembered, whatever they have used. */
const FEW = 1000

type Used = Readonly<{ milliseconds: number; longest: number; at: number }>

/** Counts the time that shares use; more than `heavyMilliseconds` at once is much. */
export function createUsage(heavyMilliseconds: number, halfLifeMilliseconds = MINUTE_MS): Usage {
  const last = new Map<string, Used>()
  let tooMany = FEW
  const since = (share: string, of: 'milliseconds' | 'longest') => {
    const used = last.get(share)
    return used === undefined ? 0 : used[of] * 2 ** ((used.at - performance.now()) / halfLifeMilliseconds)
  }
  const of = (share: string) => since(share, 'milliseconds')
  const forget = () => {
    for (const share of last.keys()) if (of(share) < 1) last.delete(share)
    // Not at each new one, where as many are in use.
    tooMany = Math.max(FEW, 2 * last.size)
  }
  return {
    of,
    isHeavy: (share) => since(share, 'longest') > heavyMilliseconds,
    add: (share, milliseconds, atOnce = milliseconds) => {
      if (milliseconds === 0) return
      const longest = Math.max(since(share, 'longest'), atOnce)
      last.set(share, { milliseconds: of(share) + milliseconds, longest, at: performance.now() })
      if (last.size > tooMany) forget()
    },
  }
}
