import { collectGarbageEarly } from '../garbage.ts'
import { limitOpenFiles, limitSocketBuffers } from '../system-limits.ts'
import { add, drop, pathOf, type Queues, take, VISITORS } from '../turn-queues.ts'
import { createChunkedRequests, isChunked } from './chunked-requests.ts'
import { endIdleConnections } from './idle-connections.ts'
import { API_HEADERS } from './security-headers.ts'
import { asLast, type FetchHandler, type Handler, type Serve, SMALL_BODY_BYTES } from './server.ts'
import { throwAwayBody } from './unread-body.ts'

/** Each connection on which headers begin to arrive may take 16 KiB: Bun has no limit on how many there are. */
const MAX_OPEN_FILES = 8192

/** What is not sent yet stays in this process, where it is counted, or is one copy for all who ask for it. */
const SOCKET_BUFFERS = { unsent: 32 * 1024, received: 128 * 1024 }

/** Bun's own server. */
export const bunServe: Serve = ({ port, address }, handler, failed) => {
  const maxOpenFiles = limitOpenFiles(MAX_OPEN_FILES)
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
    fetch: inTurns(handler, peerOf),
    error: failed,
    development: false,
    // Without `development` Bun shares a port with whatever shares it too: two Keywards would answer in turns.
    reusePort: false,
  })
  limitSocketBuffers(SOCKET_BUFFERS)
  const stopCollecting = collectGarbageEarly()
  const stopEnding = endIdleConnections(server.port ?? port, maxOpenFiles)
  return {
    port: server.port ?? port,
    addressOf: (request) => server.requestIP(request)?.address ?? null,
    drain: () =>
      server.stop().finally(() => {
        stopCollecting()
        stopEnding()
      }),
    cut: () => void server.stop(true),
  }
}

/** How many requests begin in one turn of the event loop, and how many more that come on one connection in it may wait. */
const REQUESTS_IN_A_TURN = 16

/** How many visitors' requests, of those that wait, begin in one turn: their work makes the turn longer for everybody. */
const VISITORS_IN_A_TURN = 4

/**
 * Has requests wait in lines of which a few begin in each turn of the event loop: between two turns, what others wait for
 * from the database or the disk goes on. Senders take turns, and a request whose client leaves waits no more. Bun would begin
 * all that have come at once, and answer those that a client has sent on one connection, without waiting for answers, before
 * it serves any other connection. Where one of these is not answered at once, it closes the connection, and so it does where
 * one has to wait here. Bodies are seen to before their requests wait: Bun keeps in memory what comes of one until it is read
 * or thrown away. Bodies in chunks are not touched before: each chunk takes time where something reads it or throws it away,
 * and little once the request is answered. A request of a sender that has too many such requests under way is refused at once.
 */
function inTurns(
  {
    fetch,
    senderOf = () => VISITORS,
    beginChunked = limitChunked(senderOf),
    expectBody = () => null,
  }: Handler,
  peerOf: (request: Request) => string | null,
): FetchHandler {
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
  /** Whether its client still waits for the answer once its turn has come. */
  const waitForTurn = (request: Request): Promise<boolean> => {
    const path = pathOf(senderOf(request))
    return new Promise((resolve) => {
      const { signal } = request
      const start = () => {
        begin()
        signal.removeEventListener('abort', leave)
        // A closed connection, of which nothing tells any more where the request came from.
        resolve(peerOf(request) !== null)
      }
      const leave = () => {
        drop(waiting, path, start)
        resolve(false)
      }
      signal.addEventListener('abort', leave, { once: true })
      add(waiting, path, start)
    })
  }
  const isOneTooMany = (request: Request) => {
    const peer = peerOf(request)
    if (seenByPeer.size === 0) setImmediate(() => seenByPeer.clear())
    const ofPeer = (seenByPeer.get(peer) ?? 0) + 1
    seenByPeer.set(peer, ofPeer)
    return ofPeer > REQUESTS_IN_A_TURN
  }
  const fetchInTurn = async (request: Request) => {
    if (isOneTooMany(request)) {
      throwAwayBody(request)
      return tooManyAtOnce()
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

const tooManyAtOnce = () =>
  Response.json(
    { error: 'Too many requests at once on one connection. Wait for the answers.' },
    { status: 429, headers: { ...API_HEADERS, connection: 'close', 'retry-after': '1' } },
  )

const tooManyChunked = () =>
  Response.json(
    { error: 'Too many requests with bodies in chunks at the moment. Try again in a second.' },
    { status: 503, headers: { ...API_HEADERS, 'retry-after': '1' } },
  )
