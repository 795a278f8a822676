/** How much time shares have used of late. */
export type Usage = Readonly<{
  /** Milliseconds; what was used a minute ago counts half, two minutes ago a quarter. */
  of(share: string): number
  /** Whether it has used more than half a second. */
  isHeavy(share: string): boolean
  add(share: string, milliseconds: number): void
}>

const HALF_LIFE_MS = 60_000
const HEAVY_MS = 500

/** So many shares are remembered, whatever they have used. */
const FEW = 1000

/** Counts the time that shares use. */
export function createUsage(): Usage {
  const last = new Map<string, Readonly<{ milliseconds: number; at: number }>>()
  let tooMany = FEW
  const of = (share: string) => {
    const used = last.get(share)
    return used === undefined ? 0 : used.milliseconds * 2 ** ((used.at - performance.now()) / HALF_LIFE_MS)
  }
  const forget = () => {
    for (const share of last.keys()) if (of(share) < 1) last.delete(share)
    // Not at each new one, where as many are in use.
    tooMany = Math.max(FEW, 2 * last.size)
  }
  return {
    of,
    isHeavy: (share) => of(share) > HEAVY_MS,
    add: (share, milliseconds) => {
      if (milliseconds === 0) return
      last.set(share, { milliseconds: of(share) + milliseconds, at: performance.now() })
      if (last.size > tooMany) forget()
    },
  }
}
