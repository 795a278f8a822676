import { limitOpenFiles } from '../open-files.ts'
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

/** So many requests begin in one turn of the event loop, and so many with large bodies of one connection. */
const REQUESTS_IN_A_TURN = 16

/**
 * Has requests wait in one line of which a few begin in each turn of the event loop: between two turns, what others wait for
 * from the database or the disk goes on. Bun would begin all that have come at once, and answer those that a client has sent on
 * one connection, without waiting for answers, before it serves any other connection. Where one of these is not answered at
 * once, it closes the connection, and so it does where one has to wait here. Handlers see those with large bodies before they
 * wait, and then call `waitToBegin`: Bun keeps in memory what comes of a body until it is read or thrown away.
 */
function inTurns(fetch: FetchHandler, peerOf: (request: Request) => string | null): FetchHandler {
  const waiting: (() => void)[] = []
  const largeByPeer = new Map<string | null, number>()
  let begun = 0
  const begin = () => {
    if (begun === 0) setImmediate(nextTurn)
    begun++
  }
  const nextTurn = () => {
    begun = 0
    for (const start of waiting.splice(0, REQUESTS_IN_A_TURN)) {
      begin()
      start()
    }
  }
  const waitForTurn = async (request: Request): Promise<Response | null> => {
    if (begun < REQUESTS_IN_A_TURN && waiting.length === 0) {
      begin()
      return null
    }
    await new Promise<void>((start) => waiting.push(start))
    // Nobody would get the answer, and nothing tells any more where the request came from.
    return peerOf(request) === null ? tooManyAtOnce() : null
  }
  const fetchLarge = async (request: Request) => {
    const peer = peerOf(request)
    if (largeByPeer.size === 0) setImmediate(() => largeByPeer.clear())
    const ofPeer = (largeByPeer.get(peer) ?? 0) + 1
    largeByPeer.set(peer, ofPeer)
    try {
      if (ofPeer > REQUESTS_IN_A_TURN) return tooManyAtOnce()
      setTurnToBegin(request, () => waitForTurn(request))
      return await fetch(request)
    } finally {
      throwAwayBody(request)
    }
  }
  return async (request) =>
    isSmall(request) ? ((await waitForTurn(request)) ?? (await fetch(request))) : await fetchLarge(request)
}

const SMALL_BYTES = 2048

const isSmall = ({ headers }: Request): boolean =>
  !headers.has('transfer-encoding') && Number(headers.get('content-length') ?? 0) <= SMALL_BYTES

const tooManyAtOnce = () =>
  Response.json(
    { error: 'Too many requests at once on one connection. Wait for the answers.' },
    { status: 429, headers: { ...API_HEADERS, connection: 'close', 'retry-after': '1' } },
  )
