import { DomainError } from '../../core/errors.ts'
import { yieldToEventLoop } from '../../core/yielding.ts'
import { isChunked } from '../../platform/http/chunked-requests.ts'

export const KIB = 1024
export const MIB = 1024 * KIB

/** How long a body may take to come. */
export const DEADLINE_SECONDS = 15

/** Collects a body until it has come whole, or `stop` ends that, with a reason of its own where it gives one. */
type Collector = { bytes: Promise<Uint8Array>; stop(reason?: DomainError): void }

/** For so many turns of the event loop a body in chunks is not touched: Bun joins what comes of it in a third of the time. */
const UNTOUCHED_TURNS = 2

/** How long it takes Bun after that to hand over a chunk, at most. */
const CHUNK_MILLISECONDS = 50e-6

/**
 * Reads a whole body. 413 when it is too large, 400 when it is incomplete or late. However small the chunks that the client
 * sends, there is at most one read in each turn of the event loop: the runtime hands every chunk that finds a waiting read to
 * that read, and joins those that find none. So nothing tells how many have come: `spend` is told the milliseconds that they
 * took if each had one byte, and no more than the turn took.
 */
export function createCollector(
  request: Request,
  limit: number,
  deadlineSeconds: number,
  spend: (milliseconds: number) => void = () => {},
): Collector {
  let reader: { cancel(): Promise<void> } | undefined
  let stopped: DomainError | null = null
  const stop = (reason = incomplete()) => {
    stopped ??= reason
    clearTimeout(timer)
    reader?.cancel().catch(() => {})
  }
  const timer = setTimeout(() => stop(), deadlineSeconds * 1000)
  const collect = async () => {
    if (isChunked(request)) for (let turns = 0; turns < UNTOUCHED_TURNS; turns++) await yieldToEventLoop()
    if (stopped !== null) throw stopped
    const joined = createJoinedBytes(limit)
    const chunks = request.body?.getReader()
    if (chunks === undefined) return joined.bytes()
    reader = chunks
    let turn = 0
    for (;;) {
      const { done, value } = await chunks.read()
      if (stopped !== null) throw stopped
      if (done) {
        await requireEnd(request)
        return joined.bytes()
      }
      spend(Math.min(turn, value.byteLength * CHUNK_MILLISECONDS))
      if (joined.length() + value.byteLength > limit) throw tooLarge(limit)
      joined.add(value)
      const before = performance.now()
      await yieldToEventLoop()
      turn = performance.now() - before
    }
  }
  const bytes = collect()
    .catch((error: unknown) => {
      stop()
      throw error instanceof DomainError ? error : incomplete()
    })
    .finally(() => clearTimeout(timer))
  // The response may not need the body; then nothing else handles this rejection.
  bytes.catch(() => {})
  return { bytes, stop }
}

/** Throws where Bun has answered 400 for what follows the last chunk, such as a trailer: nothing may be done then. */
async function requireEnd(request: Request): Promise<void> {
  if (!isChunked(request)) return
  await yieldToEventLoop()
  if (request.signal.aborted) throw incomplete()
}

/** Joins chunks, at most `limit` bytes, in one buffer that grows: a list of small chunks takes many times their bytes. */
function createJoinedBytes(limit: number) {
  let buffer = new Uint8Array()
  let length = 0
  return {
    add: (chunk: Uint8Array): void => {
      const needed = length + chunk.byteLength
      if (needed > buffer.length) {
        const grown = new Uint8Array(Math.min(limit, Math.max(needed, 2 * buffer.length)))
        grown.set(buffer.subarray(0, length))
        buffer = grown
      }
      buffer.set(chunk, length)
      length = needed
    },
    length: (): number => length,
    bytes: (): Uint8Array => buffer.subarray(0, length),
  }
}

/** 413 for a body that is longer than so many bytes. */
export const tooLarge = (limit: number) =>
  new DomainError(413, `The body must not be larger than ${limit === MIB ? '1 MiB' : `${limit / KIB} KiB`}.`)

// After half a body, the connection can't be used for another request.
const incomplete = () =>
  new DomainError(400, `The body is incomplete, or took longer than ${DEADLINE_SECONDS} seconds.`, {
    connection: 'close',
  })
