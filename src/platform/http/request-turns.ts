import { add, drop, pathOf, type Queues, take, VISITORS } from '../turn-queues.ts'
import { createChunkedRequests, isChunked } from './chunked-requests.ts'
import { API_HEADERS } from './security-headers.ts'
import { asLast, type FetchHandler, type Handler, SMALL_BODY_BYTES } from './server.ts'
import { throwAwayBody } from './unread-body.ts'

/** How many requests begin in one turn of the event loop; fewer while turns take long. */
export const REQUESTS_IN_A_TURN = 16
const LEAST_REQUESTS_IN_A_TURN = 2
const LONG_TURN_MILLISECONDS = 10

/** How many visitors' requests, of those that wait, begin in one turn: their work makes the turn longer for everybody. */
const VISITORS_IN_A_TURN = 4

/** What a server tells of the connection of a request. */
type Connection = Readonly<{
  /** Whether the client can still be answered. */
  isOpen(request: Request): boolean
  /** The answer to one that can't begin at once and may not wait. */
  refuse?: (request: Request) => Response | null
}>

/**
 * Has requests wait in lines of which a few begin in each turn of the event loop: between two turns, what others wait for
 * from the database or the disk goes on. Senders take turns, and a request whose client leaves waits no more. The runtimes
 * begin all that have come at once. Bodies are seen to before their requests wait: Bun keeps in memory what comes of one until
 * it is read or thrown away. Bodies in chunks are not touched before: each chunk takes time where something reads it or throws
 * it away, and little once the request is answered. A request of a sender that has too many such requests under way is refused
 * at once.
 */
export function inTurns(
  {
    fetch,
    senderOf = () => VISITORS,
    beginChunked = limitChunked(senderOf),
    expectBody = () => null,
  }: Handler,
  { isOpen, refuse = () => null }: Connection,
): FetchHandler {
  const waiting: Queues = new Map()
  let [begun, most, turnBegan] = [0, REQUESTS_IN_A_TURN, 0]
  const begin = () => {
    if (begun === 0) {
      turnBegan = performance.now()
      setImmediate(nextTurn)
    }
    begun++
  }
  const isFree = () => begun < most && waiting.size === 0
  const nextShare = (mayBeVisitors: boolean) => {
    for (const share of waiting.keys()) if (mayBeVisitors || share !== VISITORS) return share
    return undefined
  }
  const nextTurn = () => {
    const isLong = performance.now() - turnBegan > LONG_TURN_MILLISECONDS
    most = isLong ? Math.max(LEAST_REQUESTS_IN_A_TURN, most >> 1) : Math.min(REQUESTS_IN_A_TURN, most + 1)
    begun = 0
    let ofVisitors = 0
    while (begun < most) {
      const next = nextShare(ofVisitors < VISITORS_IN_A_TURN)
      if (next === undefined) return
      if (next === VISITORS) ofVisitors++
      take(waiting, next)?.()
    }
  }
  /** Whether its client still waits for the answer once its turn has come. */
  const waitForTurn = (request: Request): Promise<boolean> => {
    const path = pathOf(senderOf(request))
    return new Promise((resolve) => {
      const { signal } = request
      const start = () => {
        begin()
        signal.removeEventListener('abort', leave)
        resolve(isOpen(request))
      }
      const leave = () => {
        drop(waiting, path, start)
        resolve(false)
      }
      signal.addEventListener('abort', leave, { once: true })
      add(waiting, path, start)
    })
  }
  const fetchInTurn = async (request: Request) => {
    const refusal = refuse(request)
    if (refusal !== null) {
      throwAwayBody(request)
      return refusal
    }
    const forgetBody = isSmall(request) ? ignore : expectBody(request)
    if (forgetBody === null) throwAwayBody(request)
    try {
      if (isFree()) begin()
      else if (!(await waitForTurn(request))) {
        forgetBody?.()
        return nobodyWaits()
      }
      return await fetch(request)
    } finally {
      throwAwayBody(request)
    }
  }
  const fetchChunked = (request: Request) => {
    const end = beginChunked(request)
    if (end === null) return tooManyChunked()
    const answer = fetchInTurn(request).finally(end)
    return /^(GET|HEAD)$/.test(request.method) ? asLast(answer) : answer
  }
  return (request) => {
    if (isChunked(request)) return fetchChunked(request)
    if (!isSmall(request) || !isFree()) return fetchInTurn(request)
    begin()
    return fetch(request)
  }
}

function limitChunked(senderOf: NonNullable<Handler['senderOf']>): NonNullable<Handler['beginChunked']> {
  const requests = createChunkedRequests()
  return (request) => requests.begin(senderOf(request))?.leave ?? null
}

/** Nobody gets it. */
const nobodyWaits = () => new Response(null)

const ignore = () => {}

const isSmall = ({ headers }: Request): boolean =>
  Number(headers.get('content-length') ?? 0) <= SMALL_BODY_BYTES

const tooManyChunked = () =>
  Response.json(
    { error: 'Too many requests with bodies in chunks at the moment. Try again in a second.' },
    { status: 503, headers: { ...API_HEADERS, 'retry-after': '1' } },
  )
