import { createFairLimiter } from './limiter.ts'
import type { Sharer } from './turn-queues.ts'

/** Waits for a caller's turn to block the event loop: with what follows at once, until the loop's next turn. */
export type BlockingTurns = (caller: Sharer) => Promise<void>

/**
 * The turns of work that blocks the event loop and can't be divided, such as parsing and checking a body: one at a time,
 * and then a pause as long as it took. So whoever needs several turns of the loop waits for one such work, and not for one in
 * each. Who has used the least is next. `TooBusyError` after the wait.
 */
export function createBlockingTurns(): BlockingTurns {
  const limiter = createFairLimiter({
    concurrency: 1,
    concurrencyEach: 1,
    queueEach: 1000,
    waitMilliseconds: 4000,
  })
  return async (caller) => {
    const end = await limiter.enter(caller)
    const start = performance.now()
    setImmediate(() => setTimeout(end, performance.now() - start))
  }
}
