import { createBudget } from './budget.ts'
import { type Activity, createEvictables } from './evictables.ts'
import type { Sharer } from './turn-queues.ts'

const MIB = 1024 * 1024

/** An answer is read steadily as long as each second as many bytes are read of it. */
const STEADY_BYTES = 256 * 1024

/** So much longer than that a new answer may take until it is stalled, and one that was read faster. */
const GRACE_MS = 1000
const MOST_GRACE_MS = 2000

/** The large answers that clients have not read yet, within the memory for them. */
export type UnreadAnswers = ReturnType<typeof createUnreadAnswers>

/**
 * Counts the bytes of large answers until they are read: of all callers together, and of each. Whoever asks for many and
 * reads none gets no more. Where others need the room, answers are given up: those that have stalled, and the oldest of
 * whoever has the most. What is read steadily is given up only for the answer of a change, and whoever has stalled ones
 * has others given up only if these have stalled, too.
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
    const evictable = answers.hasStalled(owner) ? { others: STALLED } : { first: STALLED, others: SLOW }
    return answers.makeRoom(missing, inShare + bytes, evictable) && take(owner, bytes)
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
        answers.makeRoom(budget.inUse() + bytes - maxBytes, 0, { first: STALLED })
        budget.takeAnyway(owner, bytes)
      }
      let isCounted = true
      const end = () => {
        if (!isCounted) return
        isCounted = false
        remove()
        budget.give(owner, bytes)
      }
      const { activity, progress } = createPace(now)
      const giveUpCounted = () => {
        end()
        giveUp()
      }
      const remove = answers.add(owner, bytes, giveUpCounted, activity)
      return { progress, end }
    },
    isUsedUp: budget.isUsedUp,
    inUse: budget.inUse,
  }
}

/** Tells how an answer is read. */
function createPace(now: () => number) {
  let stalledAt = now() + GRACE_MS
  return {
    progress: (bytes: number): void => {
      const later = Math.max(stalledAt, now()) + (1000 * bytes) / STEADY_BYTES
      stalledAt = Math.min(later, now() + MOST_GRACE_MS)
    },
    activity: (): Activity => {
      const grace = stalledAt - now()
      if (grace < 0) return 'stalled'
      return grace > GRACE_MS ? 'steady' : 'slow'
    },
  }
}

const STALLED: readonly Activity[] = ['stalled']
const SLOW: readonly Activity[] = ['slow']
