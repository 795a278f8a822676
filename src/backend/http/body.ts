import { badRequest, DomainError } from '../../core/errors.ts'
import { type Budget, createBudget } from './budget.ts'
import { parseJson } from './json.ts'

/** Stands where a body is that nobody has read: no schema lets it pass. */
export const UNREAD = Symbol('a body that nobody has read')

/** The body of one request, unread until somebody asks for it. */
export type IncomingBody = {
  /**
   * Reads it as JSON, null when there is none. 415, 413 and 400 say what is wrong with it, 503 that too many bodies
   * are under way. `sender` says who shares a budget, and `isKnown` whether it has shown credentials.
   */
  read(sender: string, isKnown: boolean): Promise<unknown>
  /** The request is answered: what nobody has read counts no longer. */
  leave(): void
}

const KIB = 1024
const MIB = 1024 * KIB
const DEADLINE_SECONDS = 15

/**
 * The bodies of all requests under way. Runtimes keep in memory what arrives of a body while nobody reads it, so bytes
 * are counted from the start, those that a request announces as if they were there: while credentials are checked, of
 * strangers where none are needed, and of known callers. None of the three can take the others' room.
 */
export function createBodies(deadlineSeconds = DEADLINE_SECONDS) {
  const entering = createBudget({ maxBytes: 64 * MIB, maxBytesEach: 16 * MIB, free: 16 * KIB })
  const ofStrangers = createBudget({ maxBytes: 16 * MIB, maxBytesEach: 2 * MIB, free: 2 * KIB })
  const ofCallers = createBudget({ maxBytes: 64 * MIB, maxBytesEach: 16 * MIB, free: 2 * KIB })

  return {
    /** Takes note of a body as its request arrives; one for which there is no room is thrown away. */
    arrive: (request: Request, path: string, network: () => string): IncomingBody => {
      const limit = path.startsWith('/service/auth/') ? 16 * KIB : MIB
      if (NEVER_READ.has(request.method)) {
        discard(request)
        return nothing
      }
      const length = lengthOf(request)
      const share = createShare(entering, network)
      const fault = length === null ? null : faultOf(length, limit, share)
      if (fault !== null) discard(request)
      const collect = () =>
        createCollector(request, limit, length === null ? share.grow : () => true, deadlineSeconds)
      // Nobody knows how much will come: it is taken in up to the limit, so that the runtime doesn't keep it all.
      const collector = length === null ? collect() : null
      return {
        read: async (sender, isKnown) => {
          requireJson(request)
          if (fault !== null) throw fault
          if (length === 0) return null
          if (!share.moveTo(isKnown ? ofCallers : ofStrangers, sender)) throw busy()
          const bytes = await (collector ?? collect()).bytes.finally(share.end)
          return bytes.length === 0 ? null : parseJson(textOf(bytes))
        },
        leave: () => {
          share.end()
          collector?.stop()
        },
      }
    },
    /** How many bytes are counted. */
    bytesInUse: () => entering.inUse() + ofStrangers.inUse() + ofCallers.inUse(),
  }
}

const nothing: IncomingBody = { read: async () => null, leave: () => {} }

/** Methods whose routes take no body: what is sent with them is ignored. */
const NEVER_READ: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])

/** How long a body says it is; null when it doesn't say. */
function lengthOf(request: Request): number | null {
  const header = request.headers.get('content-length')
  if (header !== null && /^\d{1,15}$/.test(header)) return Number(header)
  return header === null && request.body === null ? 0 : null
}

/** Has the runtime throw away what arrives. */
function discard(request: Request): void {
  request.body?.cancel().catch(() => {})
}

/** What an announced length alone is refused for. */
function faultOf(length: number, limit: number, share: Share): DomainError | null {
  if (length > limit) return tooLarge(limit)
  return share.grow(length) ? null : busy()
}

type Share = ReturnType<typeof createShare>

/** What one body takes of a budget, and of the next one when it moves there. */
function createShare(first: Budget, firstOwner: () => string) {
  let [budget, owner, taken, bytes]: [Budget, string | null, number, number] = [first, null, 0, 0]
  let isOver = false
  const take = () => {
    const cost = budget.costOf(bytes)
    if (cost === taken || isOver) return true
    owner ??= firstOwner()
    if (!budget.take(owner, cost - taken)) return false
    taken = cost
    return true
  }
  const giveBack = () => {
    if (owner !== null) budget.give(owner, taken)
    taken = 0
  }
  return {
    /** Whether there is room for so many bytes more. */
    grow: (more: number): boolean => {
      bytes += more
      return take()
    },
    /** Whether there is room in another budget, too. */
    moveTo: (next: Budget, nextOwner: string): boolean => {
      giveBack()
      ;[budget, owner] = [next, nextOwner]
      return take()
    },
    end: (): void => {
      giveBack()
      isOver = true
    },
  }
}

type Collector = { bytes: Promise<Uint8Array>; stop(): void }

/**
 * Takes in a whole body. 413 when it is too large, 503 when `count` finds no room for more of it, 400 when it does not
 * arrive whole, or not in time.
 */
function createCollector(
  request: Request,
  limit: number,
  count: (more: number) => boolean,
  deadlineSeconds: number,
): Collector {
  if (request.body === null) return { bytes: Promise.resolve(new Uint8Array()), stop: () => {} }
  const reader = request.body.getReader()
  let isStopped = false
  const stop = () => {
    isStopped = true
    clearTimeout(timer)
    reader.cancel().catch(() => {})
  }
  const timer = setTimeout(stop, deadlineSeconds * 1000)
  const collect = async () => {
    const chunks: Uint8Array[] = []
    for (let length = 0; ; ) {
      const { done, value } = await reader.read()
      if (isStopped) throw incomplete()
      if (done) return Buffer.concat(chunks)
      length += value.byteLength
      if (length > limit) throw tooLarge(limit)
      if (!count(value.byteLength)) throw busy()
      chunks.push(value)
    }
  }
  const bytes = collect()
    .catch((error: unknown) => {
      stop()
      throw error instanceof DomainError ? error : incomplete()
    })
    .finally(() => clearTimeout(timer))
  // Nobody waits for it where the request is answered without its body.
  bytes.catch(() => {})
  return { bytes, stop }
}

function requireJson(request: Request): void {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(type)) {
    throw new DomainError(415, 'The body must be sent as application/json.')
  }
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

// Whoever sent half a body can't use the connection for another request.
const incomplete = () => new DomainError(400, 'The body did not arrive whole.', { connection: 'close' })

const busy = () =>
  new DomainError(503, 'Too many large requests are under way at the moment. Try again in a second.', {
    'retry-after': '1',
  })
