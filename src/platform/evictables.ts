import { pathOf, type Sharer } from './turn-queues.ts'

/** How fast something gets on. */
export type Activity = 'stalled' | 'slow' | 'steady'

/** Something that can be ended to make room: the bytes that are counted for it, and what ends it. */
type Evictable = Readonly<{ share: string; bytes: number; activity: () => Activity; end: () => void }>

/**
 * What takes memory and can be ended to make room for others: always the oldest of the share that has the most. Beyond `most`
 * of them, one more ends one: each takes the memory of its connection, however few bytes it has.
 */
export function createEvictables(most = Infinity) {
  const byShare = new Map<string, Set<Evictable>>()
  let count = 0

  const remove = (evictable: Evictable) => {
    const ofShare = byShare.get(evictable.share)
    if (!ofShare?.delete(evictable)) return
    count--
    if (ofShare.size === 0) byShare.delete(evictable.share)
  }
  const evict = (evictable: Evictable) => {
    remove(evictable)
    evictable.end()
  }

  return {
    /** Adds one; `end` is called when it has to make room. The function that is returned removes it. */
    add: (owner: Sharer, bytes: number, end: () => void, activity = (): Activity => 'slow'): (() => void) => {
      const [share] = pathOf(owner)
      if (count >= most) {
        let largest = new Set<Evictable>()
        for (const ofShare of byShare.values()) if (ofShare.size > largest.size) largest = ofShare
        const [oldest] = largest
        if (oldest !== undefined) evict(oldest)
      }
      const evictable = { share, bytes, activity, end }
      byShare.set(share, (byShare.get(share) ?? new Set()).add(evictable))
      count++
      return () => remove(evictable)
    },
    /** Whether something of the owner's share is stalled. */
    hasStalled: (owner: Sharer): boolean =>
      [...(byShare.get(pathOf(owner)[0]) ?? [])].some(({ activity }) => activity() === 'stalled'),
    /**
     * Ends some that take so many bytes: any of the activities in `first`, then of those in `others` each the oldest of the
     * share with the most bytes, as long as these are more than `least`. Where all that is too few bytes, it ends none and
     * gives false.
     */
    makeRoom: (bytes: number, least: number, { first = NONE, others = ALL } = {}): boolean => {
      const shares = Array.from(byShare.values(), (ofShare) => {
        const counted = [...ofShare].filter((evictable) => evictable.bytes > 0)
        const of = (activities: readonly Activity[]) =>
          counted.filter(({ activity }) => activities.includes(activity()))
        return {
          first: of(first),
          others: new Set(of(others)),
          bytes: counted.reduce((sum, evictable) => sum + evictable.bytes, 0),
        }
      }).sort((a, b) => b.bytes - a.bytes)
      const evicted: Evictable[] = []
      let missing = bytes
      const plan = (share: (typeof shares)[number], evictable: Evictable) => {
        share.others.delete(evictable)
        share.bytes -= evictable.bytes
        missing -= evictable.bytes
        evicted.push(evictable)
      }
      for (const share of shares) for (const evictable of share.first) if (missing > 0) plan(share, evictable)
      while (missing > 0) {
        const [largest] = shares
          .filter((share) => share.bytes > least && share.others.size > 0)
          .sort((a, b) => b.bytes - a.bytes)
        const [oldest] = largest?.others ?? []
        if (largest === undefined || oldest === undefined) return false
        plan(largest, oldest)
      }
      for (const evictable of evicted) evict(evictable)
      return true
    },
  }
}

const NONE: readonly Activity[] = []
const ALL: readonly Activity[] = ['stalled', 'slow', 'steady']
