import { createBudget } from './budget.ts'
import { createEvictables } from './evictables.ts'
import type { Sharer } from './turn-queues.ts'

const MIB = 1024 * 1024

/** An answer is stalled when less than this has been read of it in the time. */
const STALLED_MS = 2000
const BYTES_A_SECOND = 256 * 1024

/** The large answers that clients have not read yet, within the memory for them. */
export type UnreadAnswers = ReturnType<typeof createUnreadAnswers>

/**
 * Counts the bytes of large answers until they are read: of all callers together, and of each. Whoever asks for many and
 * reads none gets no more. Where others need the room, answers are given up: those that are read more slowly than 256 KiB a
 * second for 2 s, for whoever has none of that kind, and the oldest of whoever has the most.
 */
export function createUnreadAnswers({
  maxBytes = 128 * MIB,
  maxBytesEach = 32 * MIB,
  now = () => performance.now(),
} = {}) {
  const budget = createBudget({ maxBytes, maxBytesEach })
  const answers = createEvictables()

  const take = (owner: Sharer, bytes: number): boolean => {
    // A single one has room however large: to refuse it would be for ever.
    if (budget.take(owner, bytes) || budget.takeAlone(owner, bytes)) return true
    const inShare = budget.inShareOf(owner)
    const missing = inShare > 0 ? budget.missingFor(owner, bytes) : budget.inUse() + bytes - maxBytes
    const stalled = answers.hasStalled(owner) ? 'only' : 'first'
    return answers.makeRoom(missing, inShare + bytes, stalled) && take(owner, bytes)
  }

  return {
    /**
     * Counts an answer until `end` is called; null where its caller has too much unread. `progress` is to be called for the
     * bytes that are read of it. The answer of a change that was made has room in any case. `giveUp` is called where it has to
     * make room for another one.
     */
    add: (
      owner: Sharer,
      bytes: number,
      giveUp: () => void,
      { isOfChange = false } = {},
    ): { progress: (bytes: number) => void; end: () => void } | null => {
      if (!take(owner, bytes)) {
        if (!isOfChange) return null
        answers.makeRoom(budget.inUse() + bytes - maxBytes, 0, 'first')
        budget.takeAnyway(owner, bytes)
      }
      let isCounted = true
      const end = () => {
        if (!isCounted) return
        isCounted = false
        remove()
        budget.give(owner, bytes)
      }
      let stalledAt = now() + STALLED_MS
      const remove = answers.add(
        owner,
        bytes,
        () => {
          end()
          giveUp()
        },
        () => now() > stalledAt,
      )
      const progress = (read: number) => {
        const later = Math.max(stalledAt, now()) + (1000 * read) / BYTES_A_SECOND
        stalledAt = Math.min(later, now() + STALLED_MS)
      }
      return { progress, end }
    },
    isUsedUp: budget.isUsedUp,
    inUse: budget.inUse,
  }
}
