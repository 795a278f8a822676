import { createBudget } from './budget.ts'
import { createEvictables } from './evictables.ts'
import type { Sharer } from './turn-queues.ts'

const MIB = 1024 * 1024

/** The large answers that clients have not read yet, within the memory for them. */
export type UnreadAnswers = ReturnType<typeof createUnreadAnswers>

/**
 * Counts the bytes of large answers until they are read: of all callers together, and of each. Whoever asks for many and
 * reads none gets no more, and the oldest of whoever has the most are given up where others need the room.
 */
export function createUnreadAnswers({ maxBytes = 128 * MIB, maxBytesEach = 32 * MIB } = {}) {
  const budget = createBudget({ maxBytes, maxBytesEach })
  const answers = createEvictables()

  const take = (owner: Sharer, bytes: number): boolean => {
    // A single one has room however large: to refuse it would be for ever.
    if (budget.take(owner, bytes) || budget.takeAlone(owner, bytes)) return true
    const inShare = budget.inShareOf(owner)
    const missing = inShare > 0 ? budget.missingFor(owner, bytes) : budget.inUse() + bytes - maxBytes
    return answers.makeRoom(missing, inShare + bytes) && take(owner, bytes)
  }

  return {
    /**
     * Counts an answer until the function that is returned is called; null where its caller has too much unread. The answer
     * of a change that was made has room in any case. `giveUp` is called where it has to make room for another one.
     */
    add: (
      owner: Sharer,
      bytes: number,
      giveUp: () => void,
      { isOfChange = false } = {},
    ): (() => void) | null => {
      if (!take(owner, bytes)) {
        if (!isOfChange) return null
        answers.makeRoom(budget.inUse() + bytes - maxBytes, 0)
        budget.takeAnyway(owner, bytes)
      }
      let isCounted = true
      const end = () => {
        if (!isCounted) return
        isCounted = false
        remove()
        budget.give(owner, bytes)
      }
      const remove = answers.add(owner, bytes, () => {
        end()
        giveUp()
      })
      return end
    },
    isUsedUp: budget.isUsedUp,
    inUse: budget.inUse,
  }
}
