import { pathOf, type Sharer } from '../../platform/turn-queues.ts'

/** Ends the wait for the rest of a body. */
type End = () => void

/**
 * The bodies whose rest is waited for, at most so many: each takes the memory of its connection, however small it is. One
 * more ends the oldest of the sender that has the most: a whole request comes within milliseconds, so it is one that stalls.
 */
export function createUnfinishedBodies(most: number) {
  const bySender = new Map<string, Set<End>>()
  let count = 0

  const remove = (sender: string, end: End) => {
    const ofSender = bySender.get(sender)
    if (!ofSender?.delete(end)) return
    count--
    if (ofSender.size === 0) bySender.delete(sender)
  }
  const endOldest = () => {
    let [largest, size] = ['', 0]
    for (const [sender, { size: ofSender }] of bySender)
      if (ofSender > size) [largest, size] = [sender, ofSender]
    const [oldest] = bySender.get(largest) ?? []
    if (oldest === undefined) return
    remove(largest, oldest)
    oldest()
  }

  return {
    /** Adds one; `end` is called when it has to make room. The function that is returned removes it. */
    add: (sender: Sharer, end: End): (() => void) => {
      const [share] = pathOf(sender)
      if (count >= most) endOldest()
      const ofSender = bySender.get(share) ?? new Set()
      bySender.set(share, ofSender.add(end))
      count++
      return () => remove(share, end)
    },
  }
}
