import { pathOf, type Sharer } from './turn-queues.ts'

/** Something that can be ended to make room: the bytes that are counted for it, whether it is stalled, and what ends it. */
type Evictable = Readonly<{ share: string; bytes: number; isStalled: () => boolean; end: () => void }>

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
    add: (owner: Sharer, bytes: number, end: () => void, isStalled = () => false): (() => void) => {
      const [share] = pathOf(owner)
      if (count >= most) {
        let largest = new Set<Evictable>()
        for (const ofShare of byShare.values()) if (ofShare.size > largest.size) largest = ofShare
        const [oldest] = largest
        if (oldest !== undefined) evict(oldest)
      }
      const evictable = { share, bytes, isStalled, end }
      byShare.set(share, (byShare.get(share) ?? new Set()).add(evictable))
      count++
      return () => remove(evictable)
    },
    /** Whether something of the owner's share is stalled. */
    hasStalled: (owner: Sharer): boolean =>
      [...(byShare.get(pathOf(owner)[0]) ?? [])].some((evictable) => evictable.isStalled()),
    /**
     * Ends some that take so many bytes, each the oldest of the share with the most bytes, as long as these are more than
     * `least`. Of those that are stalled it ends any first, or ends no others. Where all that takes too few bytes, it ends
     * none and gives false.
     */
    makeRoom: (bytes: number, least: number, stalled?: 'first' | 'only'): boolean => {
      const mayEnd = ({ bytes, isStalled }: Evictable) => bytes > 0 && (stalled !== 'only' || isStalled())
      const shares = Array.from(byShare.values(), (ofShare) => ({
        endable: new Set([...ofShare].filter(mayEnd)),
        bytes: [...ofShare].reduce((sum, evictable) => sum + evictable.bytes, 0),
      })).sort((a, b) => b.bytes - a.bytes)
      const evicted: Evictable[] = []
      let missing = bytes
      const plan = (share: (typeof shares)[number], evictable: Evictable) => {
        share.endable.delete(evictable)
        share.bytes -= evictable.bytes
        missing -= evictable.bytes
        evicted.push(evictable)
      }
      for (const share of stalled === 'first' ? shares : [])
        for (const evictable of share.endable)
          if (missing > 0 && evictable.isStalled()) plan(share, evictable)
      while (missing > 0) {
        const rest = shares.filter((share) => share.bytes > least && share.endable.size > 0)
        const [largest] = rest.sort((a, b) => b.bytes - a.bytes)
        const [oldest] = largest?.endable ?? []
        if (largest === undefined || oldest === undefined) return false
        plan(largest, oldest)
      }
      for (const evictable of evicted) evict(evictable)
      return true
    },
  }
}
