import { pathOf, type Sharer } from '../../platform/turn-queues.ts'

/** A body whose rest is waited for: the bytes that are counted for it, and what ends the wait. */
type Body = Readonly<{ bytes: number; end: () => void }>
type Sender = { bodies: Set<Body>; bytes: number }

/**
 * The bodies whose rest is waited for, at most so many: each takes the memory of its connection, however small it is. One
 * more ends the oldest of the sender that has the most: a whole request comes within milliseconds, so it is one that stalls.
 */
export function createUnfinishedBodies(most: number) {
  const senders = new Map<string, Sender>()
  let count = 0

  const remove = (name: string, body: Body) => {
    const sender = senders.get(name)
    if (!sender?.bodies.delete(body)) return
    count--
    sender.bytes -= body.bytes
    if (sender.bodies.size === 0) senders.delete(name)
  }
  /** Ends the oldest body of the sender with the largest size, beyond `least`; false where there is none. */
  const endOldest = (sizeOf: (sender: Sender) => number, least = 0) => {
    let [largest, size] = ['', least]
    for (const [name, sender] of senders) if (sizeOf(sender) > size) [largest, size] = [name, sizeOf(sender)]
    const [oldest] = senders.get(largest)?.bodies ?? []
    if (oldest === undefined) return false
    remove(largest, oldest)
    oldest.end()
    return true
  }

  return {
    /** Adds one; `end` is called when it has to make room. The function that is returned removes it. */
    add: (owner: Sharer, bytes: number, end: () => void): (() => void) => {
      const [name] = pathOf(owner)
      if (count >= most) endOldest(({ bodies }) => bodies.size)
      const sender = senders.get(name) ?? { bodies: new Set(), bytes: 0 }
      const body = { bytes, end }
      senders.set(name, sender)
      sender.bodies.add(body)
      sender.bytes += bytes
      count++
      return () => remove(name, body)
    },
    /** Ends one to make room for a sender's next; false where none has more bytes than this one would have. */
    makeRoom: (owner: Sharer, bytes: number): boolean =>
      endOldest((sender) => sender.bytes, (senders.get(pathOf(owner)[0])?.bytes ?? 0) + bytes),
  }
}
