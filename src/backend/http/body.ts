import { badRequest, DomainError } from '../../core/errors.ts'
import { createBudget, createReservation } from '../../platform/budget.ts'
import { createEvictables } from '../../platform/evictables.ts'
import { isChunked } from '../../platform/http/chunked-requests.ts'
import { SMALL_BODY_BYTES } from '../../platform/http/server.ts'
import { throwAwayBody } from '../../platform/http/unread-body.ts'
import type { Sharer } from '../../platform/turn-queues.ts'
import { createCollector, DEADLINE_SECONDS, KIB, MIB, tooLarge } from './body-collector.ts'
import { parseJson } from './json.ts'

/** The place of a body that was not read: it passes no schema. */
export const UNREAD = Symbol('a body that was not read')

/** Where a request comes from, and whose credentials it has, as far as that is known before they are checked. */
type Origin = Readonly<{
  site: () => string
  knownSender: () => Sharer | null
  /** Counts milliseconds that chunks of its body have taken. */
  spend?: ((milliseconds: number) => void) | undefined
}>

type BeforeParsing = (bytes: number) => Promise<void>

/** The body of one request. It is read after credentials and permission are checked. */
export type IncomingBody = {
  /**
   * Reads it as JSON, null when there is none. 415, 413 and 400 when it can't be used, 503 when too many bodies are in
   * memory. `sender` is who shares a budget, `isKnown` whether it has shown credentials. Once all of it is there, and
   * before it is parsed, `beforeParsing` is waited for; it is told how many bytes there are.
   */
  read(sender: Sharer, isKnown: boolean, beforeParsing?: BeforeParsing): Promise<unknown>
  /** Gives back the memory that is counted for the body. To be called when the request ends. */
  discard(): void
}

/** So many incomplete bodies of visitors wait, and as many of callers. A whole one comes within milliseconds: the oldest stalls. */
const MAX_UNFINISHED = 2048

/** Bun takes so much memory for a body that is not small, however little of it has come. */
const LEAST_BYTES = 64 * KIB

/** The bytes that are counted for a body; none for a small one, so that there is always room for it. */
const memoryOf = (length: number): number => (length <= SMALL_BODY_BYTES ? 0 : Math.max(length, LEAST_BYTES))

/**
 * The bodies of all requests in progress. Runtimes keep a body in memory before it is read, so its bytes are counted from
 * the start, by the announced length, or else 1 MiB until it has come whole, and until the request ends, which may still
 * wait with what it read. Four budgets, none of which can use up another: before credentials are checked, of strangers and of
 * those whose credentials were accepted before; then of visitors on public routes, and of known callers. Where one of the
 * latter two is full, bodies that stall make room for others.
 */
export function createBodies(deadlineSeconds = DEADLINE_SECONDS) {
  const unchecked = createBudget({ maxBytes: 64 * MIB, maxBytesEach: 16 * MIB })
  const accepted = createBudget({ maxBytes: 64 * MIB, maxBytesEach: 16 * MIB })
  const visitors = {
    budget: createBudget({ maxBytes: 16 * MIB, maxBytesEach: 2 * MIB }),
    unfinished: createEvictables(MAX_UNFINISHED),
  }
  const callers = {
    budget: createBudget({ maxBytes: 64 * MIB, maxBytesEach: 16 * MIB }),
    unfinished: createEvictables(MAX_UNFINISHED),
  }

  return {
    /**
     * Registers the body of a request that has just arrived from a site; one without room in the budget is thrown away.
     * Strangers take no room from `knownSender`, the one whose credentials it seems to have. With `anyContentType` it is read
     * as JSON whatever it is called, of a DELETE too.
     */
    arrive: (
      request: Request,
      path: string,
      { site, knownSender, spend }: Origin,
      anyContentType = false,
    ): IncomingBody => {
      const limit = path.startsWith('/service/auth/') ? 16 * KIB : MIB
      if (NEVER_READ.has(request.method) && !anyContentType) {
        throwAwayBody(request)
        return nothing
      }
      const length = lengthOf(request)
      const reservation = createReservation()
      // One of unknown length takes what the runtime may keep of it before it is read, on many connections at once.
      let bytes = memoryOf(length ?? MIB)
      const hasRoom = () => {
        if (bytes === 0) return true
        const sender = knownSender()
        return (
          (sender !== null && reservation.take(accepted, sender, bytes)) ||
          reservation.take(unchecked, site(), bytes)
        )
      }
      const isTooLarge = length !== null && length > limit
      const fault = isTooLarge ? tooLarge(limit) : hasRoom() ? null : busy()
      if (fault !== null) throwAwayBody(request)
      const collect = () => createCollector(request, limit, deadlineSeconds, spend)
      // Of unknown length: read up to the limit at once, so that the runtime doesn't keep all of it.
      const collector = length === null && fault === null ? collect() : null
      collector?.bytes.then(
        (whole) => {
          bytes = memoryOf(whole.length)
          reservation.shrink(bytes)
        },
        () => {},
      )
      return {
        read: async (sender, isKnown, beforeParsing) => {
          if (!anyContentType) requireJson(request)
          requireNoEncoding(request)
          if (fault !== null) throw fault
          if (length === 0) {
            await beforeParsing?.(0)
            return null
          }
          const { budget, unfinished } = isKnown ? callers : visitors
          if (!reservation.take(budget, sender, bytes)) {
            const wasMade = unfinished.makeRoom(
              budget.missingFor(sender, bytes),
              budget.inShareOf(sender) + bytes,
            )
            if (!wasMade || !reservation.take(budget, sender, bytes)) throw busy()
          }
          const collecting = collector ?? collect()
          const finish = unfinished.add(sender, bytes, () => {
            collecting.stop(tooManyUnfinished())
            reservation.end()
          })
          const whole = await collecting.bytes.finally(finish)
          await beforeParsing?.(whole.length)
          return whole.length === 0 ? null : parseJson(textOf(whole))
        },
        discard: () => {
          reservation.end()
          collector?.stop()
        },
      }
    },
    /** The number of bytes that are counted. */
    bytesInUse: () => unchecked.inUse() + accepted.inUse() + visitors.budget.inUse() + callers.budget.inUse(),
  }
}

const nothing: IncomingBody = {
  read: async (_sender, _isKnown, beforeParsing) => {
    await beforeParsing?.(0)
    return null
  },
  discard: () => {},
}

/** Methods whose routes have no body: one that is sent is ignored. */
const NEVER_READ: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])

/** The announced length of a body; null when it is unknown. */
function lengthOf(request: Request): number | null {
  const header = request.headers.get('content-length')
  if (header !== null && /^\d{1,15}$/.test(header)) return Number(header)
  const hasNone = header === null && !isChunked(request) && request.body === null
  return hasNone ? 0 : null
}

function requireJson(request: Request): void {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;\s*charset=(utf-8|"utf-8")\s*)?$/i.test(type)) {
    throw new DomainError(415, 'The body must be sent as application/json.')
  }
}

function requireNoEncoding(request: Request): void {
  const coding = request.headers.get('content-encoding') ?? 'identity'
  if (coding.toLowerCase() !== 'identity') {
    throw new DomainError(415, 'The body must be sent as it is, without Content-Encoding.')
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badRequest('The body is not valid JSON.')
  }
}

const tooManyUnfinished = () =>
  new DomainError(503, 'Too many incomplete requests at the moment. Try again in a second.', {
    connection: 'close',
    'retry-after': '1',
  })

const busy = () =>
  new DomainError(503, 'Too many large requests at the moment. Try again in a second.', {
    'retry-after': '1',
  })
