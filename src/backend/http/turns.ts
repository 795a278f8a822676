import type { Context } from '../../context.ts'
import { inAnotherShare, sharerOf } from '../../core/actor.ts'
import { DomainError } from '../../core/errors.ts'
import { LARGE_READ_BYTES, LARGE_READS_OF, type Room } from '../../core/large-reads.ts'
import { siteOf } from '../../core/networks.ts'
import { TooBusyError } from '../../platform/limiter.ts'
import type { Sharer } from '../../platform/turn-queues.ts'
import { callerIn, type RequestState } from './request-state.ts'

/** The turns of requests; the pipeline ends them. */
export const createTurns = (ctx: Context, of: (request: Request) => RequestState) => ({
  /**
   * Waits for the caller's turn to read. Changes wait in a line of their own instead, within which there is no turn.
   */
  waitForTurn: async (request: Request): Promise<void> => {
    const state = of(request)
    if (state.caller === null || !/^(GET|HEAD)$/.test(request.method)) return
    const sharer = sharerOf(state.caller)
    if (!state.isScan) {
      state.endTurn = await ctx.limitReads.enter(sharer)
      return
    }
    // Nobody may wait for other reads of its own while it keeps others from theirs.
    const endScan = await ctx.limitScans.enter(sharer)
    state.endTurn = endScan
    const endRead = await ctx.limitReads.enter(inAnotherShare(sharer, 'scans of'))
    state.endTurn = () => {
      endRead()
      endScan()
    }
  },
  /**
   * Waits for the turn of a request without credentials: of the browser's `device`, where a member has signed in on it before,
   * otherwise of the site that it comes from. One whose client leaves waits no more: strangers could fill a line with such.
   */
  waitForPublicTurn: async (request: Request, device: Sharer | null): Promise<void> => {
    const state = of(request)
    state.endTurn =
      device === null
        ? await ctx.limitPublic.enter(siteOf(state.source.ipAddress), request.signal)
        : await ctx.limitDevices.enter(device, request.signal)
  },
  /** Ends the turn early, before something slow that needs no connection of the database. */
  leaveTurn: (request: Request): void => leaveTurn(of(request)),
  /**
   * Reads for an answer, which has its turn among the large ones where all that is read for it is much. Whoever has to wait
   * for that leaves the turn to read meanwhile. 503 where the wait takes too long.
   */
  roomFor: (request: Request): Room => {
    const state = of(request)
    const { limitReads, limitLargeReads } = ctx
    const sharer = sharerOf(callerIn(state))
    let [bytes, charged] = [0, 0]
    const isLarge = (more: number) => state.endLargeRead === null && bytes + more > LARGE_READ_BYTES
    const count = (more: number) => {
      bytes += more
      if (state.endLargeRead === null) return
      const time = (bytes - charged) * MILLISECONDS_PER_BYTE
      limitLargeReads.charge(sharer, time, bytes * MILLISECONDS_PER_BYTE)
      charged = bytes
    }
    /** Null where it is much, and others come first. */
    const readNow = async <T>(read: () => Promise<T>, bytesOf: (found: T) => number) => {
      const found = await read()
      const more = bytesOf(found)
      if (isLarge(more)) {
        const end = limitLargeReads.tryToEnter(sharer)
        if (end === null) return null
        keepLargeRead(state, end)
      }
      count(more)
      return { found }
    }
    const waitAmongLarge = async () => {
      leaveTurn(state)
      keepLargeRead(state, await limitLargeReads.enter(sharer).catch(refuseLarge))
      state.endTurn = await limitReads.enter(inAnotherShare(sharer, LARGE_READS_OF))
      requireUnanswered(state)
    }
    return {
      read: async (read, bytesOf, measure) => {
        requireUnanswered(state)
        const isMeasured = measure !== null && state.endLargeRead === null && !limitLargeReads.isFree(sharer)
        let mustWait = isMeasured && isLarge(await measure())
        for (;;) {
          if (mustWait) await waitAmongLarge()
          const done = await readNow(read, bytesOf)
          if (done !== null) return done.found
          mustWait = true
        }
      },
      requireWaiting: () => requireUnanswered(state),
    }
  },
})

/** About how long it takes to make a large answer of the bytes that it is made of. */
const MILLISECONDS_PER_BYTE = 64 / (1024 * 1024)

function leaveTurn(state: RequestState): void {
  state.endTurn?.()
  state.endTurn = null
}

function keepLargeRead(state: RequestState, end: () => void): void {
  // Nobody would end the turn.
  if (state.isAnswered) end()
  requireUnanswered(state)
  state.endLargeRead = end
}

/** Throws where nobody waits for the answer any more, so that nothing is read for it. */
function requireUnanswered({ isAnswered }: RequestState): void {
  if (isAnswered) throw tooManyLarge()
}

function refuseLarge(error: unknown): never {
  throw error instanceof TooBusyError ? tooManyLarge() : error
}

const tooManyLarge = () =>
  new DomainError(503, 'Too many large answers are being made. Try again in a second.', {
    'retry-after': '1',
  })
