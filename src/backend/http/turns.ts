import type { Context } from '../../context.ts'
import { sharerOf } from '../../core/actor.ts'
import { DomainError } from '../../core/errors.ts'
import { LARGE_READ_BYTES, LARGE_READERS, type MakeRoom } from '../../core/large-reads.ts'
import { siteOf } from '../../core/networks.ts'
import { TooBusyError } from '../../platform/limiter.ts'
import { callerIn, type RequestState } from './request-state.ts'

/** The turns of requests; the pipeline ends them. */
export const createTurns = (ctx: Context, of: (request: Request) => RequestState) => ({
  /**
   * Waits for the caller's turn to read. Changes wait in a line of their own instead, within which there is no turn.
   */
  waitForTurn: async (request: Request): Promise<void> => {
    const state = of(request)
    if (state.caller === null || !/^(GET|HEAD)$/.test(request.method)) return
    state.endTurn = await ctx.limitReads.enter(sharerOf(state.caller))
  },
  /** Waits for the turn of the site that a request without credentials comes from. */
  waitForPublicTurn: async (request: Request): Promise<void> => {
    const state = of(request)
    state.endTurn = await ctx.limitPublic.enter(siteOf(state.source.ipAddress))
  },
  /** Ends the turn early, before something slow that needs no connection of the database. */
  leaveTurn: (request: Request): void => leaveTurn(of(request)),
  /**
   * Reads for an answer, which has its turn among the large ones where all that is read for it is much. Whoever has to wait
   * for that leaves the turn to read meanwhile. 503 where the wait takes too long.
   */
  roomFor: (request: Request): MakeRoom => {
    const state = of(request)
    const { limitReads, limitLargeReads } = ctx
    const sharer = sharerOf(callerIn(state))
    let bytes = 0
    let charged = 0
    const charge = () => {
      limitLargeReads.charge(sharer, (bytes - charged) * MILLISECONDS_PER_BYTE, bytes * MILLISECONDS_PER_BYTE)
      charged = bytes
    }
    const makeRoom = async <T>(...[read, bytesOf, measure]: Room<T>): Promise<T> => {
      requireUnanswered(state)
      if (state.endLargeRead === null) {
        const mustWait = measure !== null && !limitLargeReads.isFree(sharer)
        if (!mustWait || bytes + (await measure()) <= LARGE_READ_BYTES) {
          const found = await read()
          const sum = bytes + bytesOf(found)
          const end = sum > LARGE_READ_BYTES ? limitLargeReads.tryToEnter(sharer) : null
          if (end !== null) keepLargeRead(state, end)
          if (end !== null || sum <= LARGE_READ_BYTES) {
            bytes = sum
            if (end !== null) charge()
            return found
          }
        }
        leaveTurn(state)
        keepLargeRead(state, await limitLargeReads.enter(sharer).catch(refuseLarge))
        state.endTurn = await limitReads.enter(LARGE_READERS)
        requireUnanswered(state)
      }
      const found = await read()
      bytes += bytesOf(found)
      charge()
      return found
    }
    return Object.assign(makeRoom, { requireWaiting: () => requireUnanswered(state) })
  },
})

type Room<T> = [
  read: () => Promise<T>,
  bytesOf: (found: T) => number,
  measure: (() => Promise<number>) | null,
]

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
