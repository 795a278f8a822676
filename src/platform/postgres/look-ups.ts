import { createFairLimiter } from '../limiter.ts'
import type { Database } from './database.ts'
import { withinDeadline } from './deadlines.ts'

/** Look-ups of who calls. */
export type LookUps = ReturnType<typeof createLookUps>

const MOST_REMEMBERED = 10_000

/**
 * Has look-ups of credentials take turns: one that was accepted before in turns of its own, all others in the turns of
 * the site that they come from. So a flood of unknown credentials delays no caller, whatever its address. As many run
 * at once as delay nobody noticeably; up to 10,000 of each credential or site wait.
 */
export function createLookUps(db: Database) {
  const { statementMilliseconds } = db.deadlines
  const limiter = createFairLimiter({
    concurrency: 32,
    concurrencyEach: 31,
    queueEach: 10_000,
    waitMilliseconds: Math.min(5000, statementMilliseconds),
  })
  /** Hashes of credentials. Whether they are still valid is looked up each time. */
  const accepted = new Set<string>()
  return {
    /**
     * The first row that `query` finds for the hash of a credential, within the time of one statement or what is left of
     * it; the wait for the turn is part of that.
     */
    find: async <Row>(
      hash: Buffer,
      site: string,
      query: () => PromiseLike<readonly Row[]>,
      millisecondsLeft = statementMilliseconds,
    ): Promise<Row | undefined> => {
      const name = hash.toString('base64')
      const turn = limiter.run(accepted.has(name) ? name : site, async () => await query())
      const [row] = await withinDeadline(turn, millisecondsLeft)
      return row
    },
    /** Remembers that a credential was accepted, and forgets the oldest beyond 10,000. */
    accept: (hash: Buffer): void => {
      const name = hash.toString('base64')
      if (accepted.has(name)) return
      accepted.add(name)
      const [oldest] = accepted
      if (accepted.size > MOST_REMEMBERED && oldest !== undefined) accepted.delete(oldest)
    },
  }
}
