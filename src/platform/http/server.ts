import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sharer } from '../turn-queues.ts'
import { API_HEADERS } from './security-headers.ts'
import { throwAwayBody } from './unread-body.ts'

/** Bodies of at most so many bytes need no room and no turn: they take little memory, and a millisecond to parse and check. */
export const SMALL_BODY_BYTES = 2048

/** Answers one request. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

/** How a server handles requests: `fetch` answers one. The rest is asked before, where one has to wait or has a large body. */
export type Handler = Readonly<{
  fetch: FetchHandler
  /** Whose request it seems to be; a visitor's unless told. */
  senderOf?: ((request: Request) => Sharer) | undefined
  /**
   * Counts a request with a body in chunks as under way; gives what ends that, or null where its sender has too many. Without
   * it, a sender has 16 under way, however long their chunks take.
   */
  beginChunked?: ((request: Request) => (() => void) | null) | undefined
  /** Prepares to read the body later; gives what cancels that. With null, or without it, the body is thrown away. */
  expectBody?: ((request: Request) => (() => void) | null) | undefined
}>

export type HttpServer = Readonly<{
  /** Where it listens, such as http://127.0.0.1:8080. */
  url: string
  /**
   * Answers with `connection: close` until no request has come for a second (five seconds at most). Then takes no new
   * connections, lets requests under way finish, and ends them `graceSeconds` after the call.
   */
  stop(graceSeconds: number): Promise<void>
}>

/** Tells the address of the peer that sent a request. */
export type Peers = { addressOf(request: Request): string | null }

/** A runtime's server. */
export type RunningServer = Readonly<{
  port: number
  addressOf(request: Request): string | null
  /** Takes no new connections; resolves when every request is answered, or `cut` was called. */
  drain(): Promise<void>
  /** Ends requests that are not answered yet. */
  cut(): void
}>

/** Serves on an address and port; `failed` answers where the handler threw. Throws as `listen(2)` fails, with its code. */
export type Serve = (
  options: Readonly<{ port: number; address: string }>,
  handler: Handler,
  failed: () => Response,
) => RunningServer

/** Where to listen; `portName` is the variable that sets the port, PORT unless told. */
export type ListenOptions = { port: number; address: string; portName?: string }

/**
 * Serves HTTP on an address and port (0 for any free one). `handler` is made with what knows the peers' addresses.
 * Throws a sentence when the port is taken or may not be used.
 */
export function listen(serve: Serve, options: ListenOptions, handler: (peers: Peers) => Handler): HttpServer {
  const originals = new WeakMap<Request, Request>()
  const copies = new WeakMap<Request, Request>()
  const peers: Peers = {
    addressOf: (request) => server.addressOf(originals.get(request) ?? request),
  }
  const { fetch, senderOf, beginChunked, expectBody } = handler(peers)
  const readable = (original: Request): Request => {
    const known = copies.get(original)
    if (known !== undefined) return known
    const request = withReadableUrl(original)
    if (request !== original) {
      copies.set(original, request)
      originals.set(request, original)
      // The copy has none.
      throwAwayBody(original)
    }
    return request
  }
  let lastRequestAt = -Infinity
  let requests = 0
  let isStopping = false
  const server = start(serve, options, {
    senderOf: senderOf && ((original) => senderOf(readable(original))),
    beginChunked: beginChunked && ((original) => beginChunked(readable(original))),
    expectBody: expectBody && ((original) => expectBody(readable(original))),
    fetch: (original) => {
      const request = readable(original)
      lastRequestAt = performance.now()
      requests++
      return isStopping ? asLast(fetch(request)) : fetch(request)
    },
  })
  // A connection that is cut while the client sends its next request loses that request. What the clock says isn't enough:
  // after a stall, requests that came meanwhile are not read yet.
  const clientsHaveLeft = async () => {
    const start = performance.now()
    let seen = requests
    let quietTurns = start > lastRequestAt + QUIET_MS ? QUIET_TURNS - 1 : 0
    while (quietTurns < QUIET_TURNS && performance.now() < start + LEAVE_MS) {
      await sleep(QUIET_MS / QUIET_TURNS)
      quietTurns = requests === seen ? quietTurns + 1 : 0
      seen = requests
    }
  }
  const host = options.address.includes(':') ? `[${options.address}]` : options.address
  return {
    url: `http://${host}:${server.port}`,
    stop: async (graceSeconds) => {
      isStopping = true
      const timer = setTimeout(() => server.cut(), graceSeconds * 1000)
      await clientsHaveLeft()
      await server.drain()
      clearTimeout(timer)
    },
  }
}

const QUIET_MS = 1000
const QUIET_TURNS = 50
const LEAVE_MS = 5000

/** Answers, and has the connection closed after it. */
export async function asLast(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer
  response.headers.set('connection', 'close')
  return response
}

function start(serve: Serve, options: ListenOptions, handler: Handler): RunningServer {
  const { portName = 'PORT' } = options
  try {
    return serve(options, handler, failed)
  } catch (error) {
    const code = (error as { code?: string }).code
    if (code === 'EADDRINUSE')
      throw new Error(`Port ${options.port} on ${options.address} is taken: set ${portName} to another one.`)
    if (code === 'EACCES')
      throw new Error(`Port ${options.port} may not be used by this user: set ${portName} to one above 1023.`)
    throw new Error(
      `Keyward cannot listen on ${options.address}:${options.port}: check BIND_ADDRESS and ${portName}.`,
    )
  }
}

/** The answer where a handler threw, which each of them is made not to do. */
const failed = () =>
  Response.json(
    { error: "Internal error. The log has the details under the request's id." },
    { status: 500, headers: { ...API_HEADERS, 'x-request-id': randomUUID() } },
  )

/**
 * A request without a Host, or with one that is no host, has a URL that can't be read: it gets a
 * placeholder host that is never allowed. Its headers stay as they came; its body, which is never read, is left out.
 */
export function withReadableUrl(request: Request): Request {
  if (URL.canParse(request.url)) return request
  const path = request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
  const { method, headers } = request
  return new Request(`http://invalid${path.startsWith('/') ? path : '/'}`, { method, headers })
}
