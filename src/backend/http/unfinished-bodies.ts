import { pathOf, type Sharer } from '../../platform/turn-queues.ts'

/** A body whose rest is waited for: the bytes that are counted for it, and what ends the wait. */
type Body = Readonly<{ sender: string; bytes: number; end: () => void }>

/**
 * The bodies whose rest is waited for, at most so many: each takes the memory of its connection, however small it is. One
 * more ends the oldest of the sender that has the most: a whole request comes within milliseconds, so it is one that stalls.
 */
export function createUnfinishedBodies(most: number) {
  const bySender = new Map<string, Set<Body>>()
  let count = 0

  const remove = (body: Body) => {
    const ofSender = bySender.get(body.sender)
    if (!ofSender?.delete(body)) return
    count--
    if (ofSender.size === 0) bySender.delete(body.sender)
  }
  const end = (body: Body) => {
    remove(body)
    body.end()
  }

  return {
    /** Adds one; `end` is called when it has to make room. The function that is returned removes it. */
    add: (owner: Sharer, bytes: number, endWait: () => void): (() => void) => {
      const [sender] = pathOf(owner)
      if (count >= most) {
        let largest = new Set<Body>()
        for (const bodies of bySender.values()) if (bodies.size > largest.size) largest = bodies
        const [oldest] = largest
        if (oldest !== undefined) end(oldest)
      }
      const body = { sender, bytes, end: endWait }
      bySender.set(sender, (bySender.get(sender) ?? new Set()).add(body))
      count++
      return () => remove(body)
    },
    /**
     * Ends bodies that take so many bytes, each the oldest of the sender with the most bytes, as long as these are more than
     * `least`. Where they are too few, it ends none and gives false.
     */
    makeRoom: (bytes: number, least: number): boolean => {
      const senders = Array.from(bySender.values(), (bodies) => {
        const counted = [...bodies].filter((body) => body.bytes > 0).reverse()
        return { counted, bytes: counted.reduce((sum, body) => sum + body.bytes, 0) }
      }).filter((sender) => sender.bytes > least)
      const ended: Body[] = []
      for (let missing = bytes; missing > 0; ) {
        const largest = senders.reduce((a, b) => (b.bytes > a.bytes ? b : a), { counted: [], bytes: least })
        const oldest = largest.counted.pop()
        if (oldest === undefined) return false
        largest.bytes -= oldest.bytes
        missing -= oldest.bytes
        ended.push(oldest)
      }
      for (const body of ended) end(body)
      return true
    },
  }
}
