import { tooMuchUnread } from '../../core/errors.ts'
import type { Budget } from '../../platform/budget.ts'
import type { Sharer } from '../../platform/turn-queues.ts'

const KIB = 1024

/**
 * Larger responses are handed to the runtime in pieces, as the client reads them. Smaller ones are not counted: a process has
 * 8,192 connections, each of which may leave one unread.
 */
const LARGE_BYTES = 16 * KIB
const PIECE_BYTES = 64 * KIB

/**
 * The body of a response to a caller; what it has not read yet of a large one counts in the budget. 503 where it has too much
 * unread, unless a change was made: that is answered in any case.
 */
export function bodyOf(
  bytes: Uint8Array,
  budget: Budget,
  caller: Sharer,
  { isOfChange = false } = {},
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.length <= LARGE_BYTES) return bytes as Uint8Array<ArrayBuffer>
  if (isOfChange) budget.takeAnyway(caller, bytes.length)
  // A single one is sent however large: to refuse it would be for ever.
  else if (!budget.take(caller, bytes.length) && !budget.takeAlone(caller, bytes.length))
    throw tooMuchUnread()
  return inPieces(bytes, () => budget.give(caller, bytes.length))
}

/** The bytes as a stream; `end` is called once, when the last piece was taken or the client has left. */
function inPieces(bytes: Uint8Array, end: () => void): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream(
    {
      pull: (controller) => {
        const piece = bytes.subarray(at, at + PIECE_BYTES)
        at += piece.length
        controller.enqueue(piece)
        if (at < bytes.length) return
        controller.close()
        end()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
