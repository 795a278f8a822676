/** Answers one request. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

export type HttpServer = Readonly<{
  /** Where it listens, such as http://127.0.0.1:8080. */
  url: string
  /** Takes no new connections, lets requests under way finish for at most `graceSeconds`, then ends them. */
  stop(graceSeconds: number): Promise<void>
}>

/** Tells the address of the peer that sent a request. */
export type Peers = { addressOf(request: Request): string | null }

/**
 * Serves HTTP on an address and port (0 for any free one). `handler` is made with what knows the peers' addresses.
 * Throws a sentence when the port is taken or may not be used.
 */
export function listen(
  options: { port: number; address: string },
  handler: (peers: Peers) => FetchHandler,
): HttpServer {
  const originals = new WeakMap<Request, Request>()
  const peers: Peers = {
    addressOf: (request) => server.requestIP(originals.get(request) ?? request)?.address ?? null,
  }
  const fetch = handler(peers)
  const server = start(options, (original) => {
    const request = withReadableUrl(original)
    if (request !== original) originals.set(request, original)
    return fetch(request)
  })
  const host = options.address.includes(':') ? `[${options.address}]` : options.address
  return {
    url: `http://${host}:${server.port}`,
    stop: async (graceSeconds) => {
      const timer = setTimeout(() => void server.stop(true), graceSeconds * 1000)
      await server.stop()
      clearTimeout(timer)
    },
  }
}

function start(options: { port: number; address: string }, fetch: FetchHandler) {
  try {
    return Bun.serve({
      port: options.port,
      hostname: options.address,
      idleTimeout: 60,
      // The handlers bound what they read, and answer in JSON; beyond this bound Bun answers by itself, with nothing.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch,
      error: () => Response.json({ error: 'Something went wrong on our side.' }, { status: 500 }),
      development: false,
    })
  } catch (error) {
    const code = (error as { code?: string }).code
    if (code === 'EADDRINUSE')
      throw new Error(`Port ${options.port} on ${options.address} is taken: set PORT to another one.`)
    if (code === 'EACCES')
      throw new Error(`Port ${options.port} may not be used by this user: set PORT to one above 1023.`)
    throw new Error(
      `Keyward cannot listen on ${options.address}:${options.port}: check BIND_ADDRESS and PORT.`,
    )
  }
}

/**
 * A request without a Host, or with one that is no host, has a URL that can't be read: it gets one that can, of a host
 * that nobody serves. Its headers stay as they came.
 */
function withReadableUrl(request: Request): Request {
  if (URL.canParse(request.url)) return request
  const path = request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
  return new Request(`http://invalid${path.startsWith('/') ? path : '/'}`, request)
}
