import { add, pathOf, type Queues, type Sharer, take } from './turn-queues.ts'

/** Waits for a caller's turn to send a piece of an answer; nothing where it need not wait. */
export type WaitToSend = (caller: Sharer) => Promise<void> | undefined

/** How many pieces are sent in one turn of the event loop. */
const PIECES_IN_A_TURN = 8

/**
 * The turns of pieces of large answers, of which a few are sent in each turn of the event loop: a client that reads fast gets
 * all of an answer in one turn otherwise, which others wait for. Callers take turns.
 */
export function createSendingTurns(): WaitToSend {
  const waiting: Queues = new Map()
  let sent = 0
  const begin = () => {
    if (sent === 0) setImmediate(nextTurn)
    sent++
  }
  const nextTurn = () => {
    sent = 0
    for (const share of waiting.keys()) {
      if (sent === PIECES_IN_A_TURN) return
      begin()
      take(waiting, share)?.()
    }
  }
  return (caller) => {
    if (sent === PIECES_IN_A_TURN || waiting.size > 0)
      return new Promise((resolve) => add(waiting, pathOf(caller), resolve))
    begin()
    return undefined
  }
}
