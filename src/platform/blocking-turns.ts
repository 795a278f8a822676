import { createFairLimiter, TooBusyError } from './limiter.ts'
import type { Sharer } from './turn-queues.ts'

/** Waits for a caller's turn to block the event loop, with what it does at once; gives what ends the turn. */
export type WaitToBlock = (caller: Sharer) => Promise<() => void>

/** Thrown where others block the event loop for too long. */
export class ProcessorBusy extends TooBusyError {
  override readonly name = 'ProcessorBusy'
  constructor() {
    super('Too many large requests are being checked at the moment. Try again in a second.')
  }
}

/** After so much work the event loop has a pause for others. */
const WORK_MILLISECONDS = 5

/**
 * The turns of work that blocks the event loop and can't be divided, such as parsing and checking a body: one at a time, and
 * after 5 ms of it a pause as long as it took. So whoever needs several turns of the loop waits for little such work, and not
 * for all that has come. Who has used the least is next. A turn ends with the loop's own turn at the latest. `ProcessorBusy`
 * after a wait of 4 s.
 */
export function createBlockingTurns(): WaitToBlock {
  const limiter = createFairLimiter({
    concurrency: 1,
    concurrencyEach: 1,
    queueEach: 1000,
    waitMilliseconds: 4000,
    busyError: () => new ProcessorBusy(),
  })
  let worked = 0
  return async (caller) => {
    const endTurn = await limiter.enter(caller)
    const start = performance.now()
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      worked += performance.now() - start
      if (worked < WORK_MILLISECONDS) return endTurn()
      const pause = worked
      worked = 0
      setImmediate(() => setTimeout(endTurn, pause))
    }
    setImmediate(end)
    return end
  }
}
