import type { FetchHandler, Serve } from './server.ts'

/** Bun's own server. */
export const bunServe: Serve = ({ port, address }, fetch, failed) => {
  const server: Bun.Server<undefined> = Bun.serve({
    port,
    hostname: address,
    idleTimeout: 60,
    // The handlers limit bodies themselves, and answer in JSON: above this limit Bun would answer 413 with an empty body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: inTurns(fetch, (request) => server.requestIP(request) === null),
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

/** So many requests begin in one turn of the event loop; more of them wait for the next one. */
const REQUESTS_IN_A_TURN = 50

/**
 * Bun answers all requests that a client has sent on one connection, without waiting for answers, before it serves any other
 * connection. Only where a request is not answered at once, it closes the connection instead. So those of a client that
 * sends thousands are not answered at once.
 */
function inTurns(fetch: FetchHandler, hasLeft: (request: Request) => boolean): FetchHandler {
  let begun = 0
  return async (request) => {
    if (begun === 0) {
      setImmediate(() => {
        begun = 0
      })
    }
    begun++
    if (begun > REQUESTS_IN_A_TURN) {
      await new Promise((resolve) => setImmediate(resolve))
      // Nobody would get the answer, and nothing tells any more where the request came from.
      if (hasLeft(request)) return new Response(null, { status: 400 })
    }
    return await fetch(request)
  }
}
