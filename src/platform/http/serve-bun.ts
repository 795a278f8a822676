import { limitOpenFiles } from '../open-files.ts'
import { add, drop, pathOf, type Queues, type Sharer, take, type Visitors } from '../turn-queues.ts'
import { API_HEADERS } from './security-headers.ts'
import type { FetchHandler, Serve } from './server.ts'
import { setTurnToBegin } from './turn-to-begin.ts'
import { throwAwayBody } from './unread-body.ts'

/** Each connection on which headers begin to arrive may take 16 KiB: Bun has no limit on how many there are. */
const MAX_OPEN_FILES = 8192

/** Bun's own server. */
export const bunServe: Serve = ({ port, address }, fetch, failed) => {
  limitOpenFiles(MAX_OPEN_FILES)
  const peerOf = (request: Request) => {
    const peer = server.requestIP(request)
    return peer && `${peer.address} ${peer.port}`
  }
  const server: Bun.Server<undefined> = Bun.serve({
    port,
    hostname: address,
    idleTimeout: 60,
    // The handlers limit bodies themselves, and answer in JSON: above this limit Bun would answer 413 with an empty body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: inTurns(fetch, peerOf),
    error: failed,
    development: false,
    // Without `development` Bun shares a port with whatever shares it too: two Keywards would answer in turns.
    reusePort: false,
  })
  return {
    port: server.port ?? port,
    addressOf: (request) => server.requestIP(request)?.address ?? null,
    drain: () => server.stop(),
    cut: () => void server.stop(true),
  }
}

/** How many requests begin in one turn of the event loop, and how many more that come on one connection in it may wait. */
const REQUESTS_IN_A_TURN = 16

/** How many visitors' requests, of those that wait, begin in one turn: their work makes the turn longer for everybody. */
const VISITORS_IN_A_TURN = 4
const VISITORS: Visitors = 'visitors'

/**
 * Has requests wait in lines of which a few begin in each turn of the event loop: between two turns, what others wait for
 * from the database or the disk goes on. Callers take turns, and `waitToBegin` is told whose a request is; one whose client
 * leaves waits no more. Bun would begin all that have come at once, and answer those that a client has sent on one connection,
 * without waiting for answers, before it serves any other connection. Where one of these is not answered at once, it closes
 * the connection, and so it does where one has to wait here. Handlers see requests before these wait: they tell whose they
 * are, and Bun keeps in memory what comes of a body until it is read or thrown away.
 */
function inTurns(fetch: FetchHandler, peerOf: (request: Request) => string | null): FetchHandler {
  const waiting: Queues = new Map()
  const seenByPeer = new Map<string | null, number>()
  let begun = 0
  const begin = () => {
    if (begun === 0) setImmediate(nextTurn)
    begun++
  }
  const isFree = () => begun < REQUESTS_IN_A_TURN && waiting.size === 0
  const nextShare = (mayBeVisitors: boolean) => {
    for (const share of waiting.keys()) if (mayBeVisitors || share !== VISITORS) return share
    return undefined
  }
  const nextTurn = () => {
    begun = 0
    let ofVisitors = 0
    while (begun < REQUESTS_IN_A_TURN) {
      const next = nextShare(ofVisitors < VISITORS_IN_A_TURN)
      if (next === undefined) return
      if (next === VISITORS) ofVisitors++
      take(waiting, next)?.()
    }
  }
  const waitForTurn = async (request: Request, whose: () => Sharer): Promise<Response | null> => {
    if (isFree()) {
      begin()
      return null
    }
    const path = pathOf(whose())
    return await new Promise((resolve) => {
      const { signal } = request
      const start = () => {
        begin()
        signal.removeEventListener('abort', leave)
        // Nobody would get the answer, and nothing tells any more where the request came from.
        resolve(peerOf(request) === null ? tooManyAtOnce() : null)
      }
      const leave = () => {
        drop(waiting, path, start)
        // Nobody gets this response.
        resolve(new Response(null))
      }
      signal.addEventListener('abort', leave, { once: true })
      add(waiting, path, start)
    })
  }
  const fetchInTurn = async (request: Request) => {
    const peer = peerOf(request)
    if (seenByPeer.size === 0) setImmediate(() => seenByPeer.clear())
    const ofPeer = (seenByPeer.get(peer) ?? 0) + 1
    seenByPeer.set(peer, ofPeer)
    try {
      if (ofPeer > REQUESTS_IN_A_TURN) return tooManyAtOnce()
      setTurnToBegin(request, (whose) => waitForTurn(request, whose))
      return await fetch(request)
    } finally {
      throwAwayBody(request)
    }
  }
  return (request) => {
    if (!isSmall(request) || !isFree()) return fetchInTurn(request)
    begin()
    return fetch(request)
  }
}

const SMALL_BYTES = 2048

const isSmall = ({ headers }: Request): boolean =>
  !headers.has('transfer-encoding') && Number(headers.get('content-length') ?? 0) <= SMALL_BYTES

const tooManyAtOnce = () =>
  Response.json(
    { error: 'Too many requests at once on one connection. Wait for the answers.' },
    { status: 429, headers: { ...API_HEADERS, connection: 'close', 'retry-after': '1' } },
  )
