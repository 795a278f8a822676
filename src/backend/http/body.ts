import { badRequest, DomainError } from '../../core/errors.ts'
import { createBudget, createShare, type Share } from '../../platform/budget.ts'
import { throwAwayBody } from '../../platform/http/unread-body.ts'
import type { Sharer } from '../../platform/turn-queues.ts'
import { parseJson } from './json.ts'
import { createUnfinishedBodies } from './unfinished-bodies.ts'

/** The place of a body that was not read: it passes no schema. */
export const UNREAD = Symbol('a body that was not read')

/** The body of one request. It is read after credentials and permission are checked. */
export type IncomingBody = {
  /**
   * Reads it as JSON, null when there is none. 415, 413 and 400 when it can't be used, 503 when too many bodies are in
   * memory. `sender` is who shares a budget, `isKnown` whether it has shown credentials.
   */
  read(sender: Sharer, isKnown: boolean): Promise<unknown>
  /** Gives back the memory that is counted for the body. To be called when the request ends. */
  discard(): void
}

const KIB = 1024
const MIB = 1024 * KIB
const DEADLINE_SECONDS = 15
/** So many incomplete bodies of visitors wait, and as many of callers. */
const MAX_UNFINISHED = 2048

/**
 * The bodies of all requests in progress. Runtimes keep a body in memory before it is read, so its bytes are counted from
 * the start, by the announced length, or else 1 MiB until it has come whole, and until the request ends, which may still
 * wait with what it read. Three budgets, none of which can use up another: before credentials are checked, for public
 * routes, and for known callers.
 */
export function createBodies(deadlineSeconds = DEADLINE_SECONDS) {
  const unchecked = createBudget({ maxBytes: 64 * MIB, maxBytesEach: 16 * MIB, free: 16 * KIB })
  const publicRoutes = createBudget({ maxBytes: 16 * MIB, maxBytesEach: 2 * MIB, free: 2 * KIB })
  const knownCallers = createBudget({ maxBytes: 64 * MIB, maxBytesEach: 16 * MIB, free: 2 * KIB })
  const unfinished = {
    visitors: createUnfinishedBodies(MAX_UNFINISHED),
    callers: createUnfinishedBodies(MAX_UNFINISHED),
  }

  return {
    /**
     * Registers the body of a request that has just arrived; one without room in the budget is thrown away. With
     * `anyContentType` it is read as JSON whatever it is called, of a DELETE too.
     */
    arrive: (request: Request, path: string, site: () => string, anyContentType = false): IncomingBody => {
      const limit = path.startsWith('/service/auth/') ? 16 * KIB : MIB
      if (NEVER_READ.has(request.method) && !anyContentType) {
        throwAwayBody(request)
        return nothing
      }
      const length = lengthOf(request)
      const share = createShare(unchecked, site)
      const fault = faultOf(length, limit, share)
      if (fault !== null) throwAwayBody(request)
      const collect = () => createCollector(request, limit, deadlineSeconds)
      // Of unknown length: read up to the limit at once, so that the runtime doesn't keep all of it.
      const collector = length === null && fault === null ? collect() : null
      collector?.bytes.then(
        ({ length }) => share.settle(length),
        () => {},
      )
      return {
        read: async (sender, isKnown) => {
          if (!anyContentType) requireJson(request)
          requireNoEncoding(request)
          if (fault !== null) throw fault
          if (length === 0) return null
          if (!share.moveTo(isKnown ? knownCallers : publicRoutes, sender)) throw busy()
          const { bytes, stop } = collector ?? collect()
          const finish = unfinished[isKnown ? 'callers' : 'visitors'].add(sender, () =>
            stop(tooManyUnfinished()),
          )
          const whole = await bytes.finally(finish)
          return whole.length === 0 ? null : parseJson(textOf(whole))
        },
        discard: () => {
          share.end()
          collector?.stop()
        },
      }
    },
    /** The number of bytes that are counted. */
    bytesInUse: () => unchecked.inUse() + publicRoutes.inUse() + knownCallers.inUse(),
  }
}

const nothing: IncomingBody = { read: async () => null, discard: () => {} }

/** Methods whose routes have no body: one that is sent is ignored. */
const NEVER_READ: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])

/** The announced length of a body; null when it is unknown. */
function lengthOf(request: Request): number | null {
  const header = request.headers.get('content-length')
  if (header !== null && /^\d{1,15}$/.test(header)) return Number(header)
  return header === null && request.body === null ? 0 : null
}

/**
 * The error that the announced length causes; null when there is room for it. One of unknown length takes what the runtime
 * may keep of it before it is read, on many connections at once.
 */
function faultOf(length: number | null, limit: number, share: Share): DomainError | null {
  if (length !== null && length > limit) return tooLarge(limit)
  return share.grow(length ?? MIB) ? null : busy()
}

type Collector = { bytes: Promise<Uint8Array>; stop(reason?: DomainError): void }

/**
 * Reads a whole body. 413 when it is too large, 400 when it is incomplete or late. However small the chunks that the client
 * sends, there is at most one read in each turn of the event loop: the runtime hands every chunk that finds a waiting read to
 * that read, and joins those that find none.
 */
function createCollector(request: Request, limit: number, deadlineSeconds: number): Collector {
  if (request.body === null) return { bytes: Promise.resolve(new Uint8Array()), stop: () => {} }
  const reader = request.body.getReader()
  let stopped: DomainError | null = null
  const stop = (reason = incomplete()) => {
    stopped ??= reason
    clearTimeout(timer)
    reader.cancel().catch(() => {})
  }
  const timer = setTimeout(() => stop(), deadlineSeconds * 1000)
  const collect = async () => {
    const joined = createJoinedBytes(limit)
    for (;;) {
      const { done, value } = await reader.read()
      if (stopped !== null) throw stopped
      if (done) return joined.bytes()
      if (joined.length() + value.byteLength > limit) throw tooLarge(limit)
      joined.add(value)
      await nextTurn()
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

/** Lets the event loop serve other requests first. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

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

const tooLarge = (limit: number) =>
  new DomainError(413, `The body must not be larger than ${limit === MIB ? '1 MiB' : `${limit / KIB} KiB`}.`)

// After half a body, the connection can't be used for another request.
const incomplete = () =>
  new DomainError(400, `The body is incomplete, or took longer than ${DEADLINE_SECONDS} seconds.`, {
    connection: 'close',
  })

const tooManyUnfinished = () =>
  new DomainError(503, 'Too many incomplete requests at the moment. Try again in a second.', {
    connection: 'close',
    'retry-after': '1',
  })

const busy = () =>
  new DomainError(503, 'Too many large requests at the moment. Try again in a second.', {
    'retry-after': '1',
  })
