import { createFairLimiter } from '../limiter.ts'
import { pathOf, type Sharer } from '../turn-queues.ts'
import type { Database } from './database.ts'
import { withinDeadline } from './deadlines.ts'

/** Look-ups of who calls. */
export type LookUps = ReturnType<typeof createLookUps>

const MOST_REMEMBERED = 10_000

/**
 * Has look-ups of credentials take turns: one that was accepted before in those of its caller, all others in those of
 * visitors. So a flood of unknown credentials delays no caller, whatever its addresses, and leaves connections for all else.
 * Up to 10,000 of each caller, and of each site of visitors, wait.
 */
export function createLookUps(db: Database) {
  const { statementMilliseconds } = db.deadlines
  const limiter = createFairLimiter({
    concurrency: 32,
    concurrencyEach: 8,
    queueEach: 10_000,
    waitMilliseconds: Math.min(5000, statementMilliseconds),
  })
  /** Whose credentials have these hashes, and nothing else of them. Whether they are still valid is looked up each time. */
  const accepted = new Map<string, Sharer>()
  return {
    /**
     * The first row that `query` finds for the hash of a credential, within the time of one statement or what is left of
     * it; the wait for the turn is part of that.
     */
    find: async <Row>(
      hash: Buffer,
      visitor: Sharer,
      query: () => PromiseLike<readonly Row[]>,
      millisecondsLeft = statementMilliseconds,
    ): Promise<Row | undefined> => {
      const name = hash.toString('base64')
      const turn = limiter.run(accepted.get(name) ?? visitor, async () => await query())
      const [row] = await withinDeadline(turn, millisecondsLeft)
      return row
    },
    /** Whose the credential was that was accepted before; null for any other. It may not be valid any more. */
    acceptedFor: (hash: Buffer): Sharer | null => accepted.get(hash.toString('base64')) ?? null,
    /** Remembers that a credential was accepted, and whose it is, and forgets the one used longest ago beyond 10,000. */
    accept: (hash: Buffer, caller: Sharer): void => {
      const [responsibleId, branchId, id] = pathOf(caller)
      const name = hash.toString('base64')
      // At the end of the order, so that those in use are forgotten last.
      accepted.delete(name)
      // A caller holds its token, which is not to be remembered.
      accepted.set(name, { responsibleId, branchId, id })
      const [oldest] = accepted.keys()
      if (accepted.size > MOST_REMEMBERED && oldest !== undefined) accepted.delete(oldest)
    },
    /** Forgets a credential that is no longer valid. */
    forget: (hash: Buffer): void => void accepted.delete(hash.toString('base64')),
  }
}
