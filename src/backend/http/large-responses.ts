import { DomainError } from '../../core/errors.ts'
import type { Sharer } from '../../platform/turn-queues.ts'
import { createBudget } from './budget.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Larger responses are handed to the runtime in pieces, as the client reads them. */
const LARGE_BYTES = 256 * KIB
const PIECE_BYTES = 64 * KIB

/**
 * Limits the memory of large responses that clients have not read yet: of all callers together, and of each. A caller
 * that asks for many and reads none gets 503; the others do not. A single one may be larger than a caller's part.
 */
export function createLargeResponses(limits = { maxBytes: 128 * MIB, maxBytesEach: 32 * MIB }) {
  const budget = createBudget({ ...limits, free: 0 })
  const bodyOf = (
    bytes: Uint8Array,
    caller: Sharer,
  ): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> => {
    if (bytes.length <= LARGE_BYTES) return bytes as Uint8Array<ArrayBuffer>
    // A single one is sent however large: to refuse it would be for ever.
    if (!budget.take(caller, bytes.length) && !budget.takeAlone(caller, bytes.length)) throw unread()
    return inPieces(bytes, () => budget.give(caller, bytes.length))
  }
  return {
    /** The body of a response as it is to be sent. Throws 503 where the caller has too much unread. */
    bodyOf,
    /** The response as it is to be sent. Throws as `bodyOf` does. */
    send: async (response: Response, caller: Sharer): Promise<Response> => {
      const text = await response.text()
      // A character takes three bytes at most.
      if (text.length <= LARGE_BYTES / 3) return new Response(text, response)
      return new Response(bodyOf(new TextEncoder().encode(text), caller), response)
    },
    /** How many bytes are counted. */
    bytesInUse: budget.inUse,
  }
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

const unread = () =>
  new DomainError(503, 'Too many large responses are waiting to be read. Read them, then try again.', {
    'retry-after': '1',
  })
