import { collectGarbageEarly } from '../garbage.ts'
import { openLibc } from '../libc-bun.ts'
import { limitConnections } from './connection-limits.ts'
import { inTurns, REQUESTS_IN_A_TURN } from './request-turns.ts'
import { API_HEADERS } from './security-headers.ts'
import type { Serve } from './server.ts'

/** Bun's own server. */
export const bunServe: Serve = ({ port, address }, handler, failed) => {
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
    // Nothing tells any more where the request of a closed connection came from.
    fetch: inTurns(handler, {
      isOpen: (request) => peerOf(request) !== null,
      refuse: refuseSentAtOnce(peerOf),
    }),
    error: failed,
    development: false,
    // Without `development` Bun shares a port with whatever shares it too: two Keywards would answer in turns.
    reusePort: false,
  })
  const stopCollecting = collectGarbageEarly()
  const stopLimiting = limitConnections(openLibc(), server.port ?? port)
  return {
    port: server.port ?? port,
    addressOf: (request) => server.requestIP(request)?.address ?? null,
    drain: () =>
      server.stop().finally(() => {
        stopCollecting()
        stopLimiting()
      }),
    cut: () => void server.stop(true),
  }
}

/**
 * Refuses what has come on one connection in one turn of the event loop beyond what may begin in it. Bun answers those that a
 * client has sent without waiting for answers before it serves any other connection, and closes it where one of them isn't
 * answered at once, as where it has to wait.
 */
function refuseSentAtOnce(peerOf: (request: Request) => string | null) {
  const seen = new Map<string | null, number>()
  return (request: Request): Response | null => {
    const peer = peerOf(request)
    if (seen.size === 0) setImmediate(() => seen.clear())
    const ofPeer = (seen.get(peer) ?? 0) + 1
    seen.set(peer, ofPeer)
    return ofPeer > REQUESTS_IN_A_TURN ? tooManyAtOnce() : null
  }
}

const tooManyAtOnce = () =>
  Response.json(
    { error: 'Too many requests at once on one connection. Wait for the answers.' },
    { status: 429, headers: { ...API_HEADERS, connection: 'close', 'retry-after': '1' } },
  )
