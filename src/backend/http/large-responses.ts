import type { Context } from '../../context.ts'
import { tooMuchUnread } from '../../core/errors.ts'
import type { Sharer } from '../../platform/turn-queues.ts'

const KIB = 1024

/**
 * Larger responses are handed to the runtime in pieces, as the client reads them. Smaller ones are not counted: a process has
 * 8,192 connections, each of which may leave one unread.
 */
const LARGE_BYTES = 16 * KIB
const PIECE_BYTES = 64 * KIB

/**
 * The body of a response to a caller; a large one counts as unread until the client has taken all of it or left. 503 where
 * the caller has too much unread, unless a change was made: that is answered in any case. Where others need its room, the
 * client's connection is closed.
 */
export function bodyOf(
  bytes: Uint8Array,
  { unread, waitToSend }: Pick<Context, 'unread' | 'waitToSend'>,
  caller: Sharer,
  { isOfChange = false } = {},
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.length <= LARGE_BYTES) return bytes as Uint8Array<ArrayBuffer>
  let rest = bytes
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const giveUp = () => {
    rest = NOTHING
    controller?.error(new Error('The response made room for others.'))
  }
  const counted = unread.add(caller, bytes.length, giveUp, { isOfChange })
  if (counted === null) throw tooMuchUnread()
  const { progress, end } = counted
  return new ReadableStream(
    {
      start: (own) => {
        controller = own
      },
      pull: async (own) => {
        await waitToSend(caller)
        // Given up, or left by its client, meanwhile.
        if (rest.length === 0) return
        // Copied: what the runtime keeps of a piece must not keep the whole.
        own.enqueue(rest.slice(0, PIECE_BYTES))
        rest = rest.subarray(PIECE_BYTES)
        progress(PIECE_BYTES)
        if (rest.length > 0) return
        own.close()
        end()
      },
      cancel: () => {
        rest = NOTHING
        end()
      },
    },
    { highWaterMark: 0 },
  )
}

const NOTHING = new Uint8Array(0)
