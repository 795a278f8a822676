import type { Serve } from './server.ts'

/** Bun's own server. */
export const bunServe: Serve = ({ port, address }, fetch, failed) => {
  const server = Bun.serve({
    port,
    hostname: address,
    idleTimeout: 60,
    // The handlers limit bodies themselves, and answer in JSON: above this limit Bun would answer 413 with an empty body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch,
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
