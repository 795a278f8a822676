import { badRequest, DomainError } from '../core/errors.ts'
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
/** So much of a body costs nothing while credentials are checked: whoever sends little is never in others' way. */
const SMALL = 16 * KIB
const DEADLINE_SECONDS = 15

/**
 * The bodies of all requests under way. Runtimes keep in memory what arrives of a body while nobody reads it, so bytes
 * are counted from the start, those that a request announces as if they were there: while credentials are checked, of
 * strangers where none are needed, and of known callers. None of the three can take the others' room.
 */
export function createBodies(deadlineSeconds = DEADLINE_SECONDS) {
  const entering = createBudget(64 * MIB, 16 * MIB)
  const ofStrangers = createBudget(16 * MIB, 2 * MIB)
  const ofCallers = createBudget(64 * MIB, 16 * MIB)

  return {
    /** Takes note of a body as its request arrives. 503 when too many bodies wait already. */
    arrive: (request: Request, path: string, network: () => string): IncomingBody => {
      const limit = path.startsWith('/service/auth/') ? 16 * KIB : MIB
      const length = lengthOf(request)
      const isIgnored = request.method === 'GET' || request.method === 'HEAD' || request.method === 'DELETE'
      const isTooLarge = length !== null && length > limit
      if (isIgnored || isTooLarge) discard(request)
      if (isIgnored || length === 0) return nothing
      const share = createShare(entering, network, SMALL)
      if (length !== null && !isTooLarge) share.grow(length)
      const collect = () =>
        collectBytes(request, limit, length === null ? share.grow : () => {}, deadlineSeconds)
      // Nobody knows how much will come: it is taken in up to the limit, so that the runtime doesn't keep it all.
      const collected = length === null ? collect() : null
      collected?.catch(() => {})
      return {
        read: async (sender, isKnown) => {
          requireJson(request)
          if (isTooLarge) throw tooLarge(limit)
          share.moveTo(isKnown ? ofCallers : ofStrangers, sender)
          const bytes = await (collected ?? collect()).finally(share.end)
          return bytes.length === 0 ? null : parseJson(textOf(bytes))
        },
        leave: share.end,
      }
    },
    /** How many bytes are counted. */
    bytesInUse: () => entering.inUse() + ofStrangers.inUse() + ofCallers.inUse(),
  }
}

const nothing: IncomingBody = { read: async () => null, leave: () => {} }

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

/** What one body takes of a budget: of the first one only what goes beyond `free`. */
function createShare(first: Budget, firstOwner: () => string, free: number) {
  let [budget, owner, taken, bytes]: [Budget, string | null, number, number] = [first, null, 0, 0]
  let isOver = false
  const take = (amount: number) => {
    if (amount === taken || isOver) return
    owner ??= firstOwner()
    if (!budget.take(owner, amount - taken)) throw busy()
    taken = amount
  }
  const giveBack = () => {
    if (owner !== null) budget.give(owner, taken)
    taken = 0
  }
  return {
    grow: (more: number): void => {
      bytes += more
      take(budget === first ? Math.max(0, bytes - free) : bytes)
    },
    moveTo: (next: Budget, nextOwner: string): void => {
      giveBack()
      ;[budget, owner] = [next, nextOwner]
      take(bytes)
    },
    end: (): void => {
      giveBack()
      isOver = true
    },
  }
}

/** The whole body. 413 when it is too large, 400 when it does not arrive whole, or not in time. */
async function collectBytes(
  request: Request,
  limit: number,
  count: (more: number) => void,
  deadlineSeconds: number,
): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    stop()
  }, deadlineSeconds * 1000)
  try {
    const chunks: Uint8Array[] = []
    for (let length = 0; ; ) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: null }) as const)
      if (isLate || value === null) throw incomplete()
      if (done) return Buffer.concat(chunks)
      length += value.byteLength
      if (length > limit) throw tooLarge(limit)
      count(value.byteLength)
      chunks.push(value)
    }
  } catch (error) {
    stop()
    throw error
  } finally {
    clearTimeout(timer)
  }
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
