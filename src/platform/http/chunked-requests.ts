import { countDown } from '../joint-limit.ts'
import { pathOf, type Sharer, VISITORS } from '../turn-queues.ts'
import { createUsage } from '../usage.ts'

/** Whether a request has a body in chunks, whose length nothing tells before. */
export const isChunked = ({ headers }: Request): boolean => headers.has('transfer-encoding')

/** A request with a body in chunks that is under way. */
type ChunkedRequest = Readonly<{
  /** Counts the time that chunks of its body have taken. */
  spend(milliseconds: number): void
  /** Ends it; to be called exactly once. */
  leave(): void
}>

export type ChunkedRequests = Readonly<{
  /** Counts one as under way; null where its sender has too many. */
  begin(sender: Sharer): ChunkedRequest | null
}>

/** How many are under way of one sender, or of visitors from one site; of all visitors twice as many. */
const MOST = 16

/** How much time the chunks of one sender or site may have taken of late; those of all visitors twice as much. */
const MOST_MILLISECONDS = 200
const HALF_LIFE_MS = 1000

/**
 * The requests with bodies in chunks that are under way. Where something reads a body, each chunk takes time, even one of a
 * single byte. So the more time the chunks of a sender have taken of late, the fewer of its requests may be under way.
 */
export function createChunkedRequests(): ChunkedRequests {
  const underWay = new Map<string, number>()
  const spent = createUsage(Infinity, HALF_LIFE_MS)
  const hasRoom = (key: string): boolean => {
    const parts = key === VISITORS ? 2 : 1
    return (underWay.get(key) ?? 0) < MOST * (parts - spent.of(key) / MOST_MILLISECONDS)
  }
  return {
    begin: (sender) => {
      const [share, site] = pathOf(sender)
      const keys = share === VISITORS ? [share, `site ${site}`] : [share]
      if (!keys.every(hasRoom)) return null
      for (const key of keys) underWay.set(key, (underWay.get(key) ?? 0) + 1)
      return {
        spend: (milliseconds) => {
          for (const key of keys) spent.add(key, milliseconds)
        },
        leave: () => {
          for (const key of keys) countDown(underWay, key)
        },
      }
    },
  }
}
