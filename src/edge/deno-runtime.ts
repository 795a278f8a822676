import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebStandardAdapter } from 'elysia/adapter/web-standard'
import { wasmArgon2id } from '../platform/argon2id-wasm.ts'
import { systemClock } from '../platform/clock.ts'
import { isChunked } from '../platform/http/chunked-requests.ts'
import { limitConnections } from '../platform/http/connection-limits.ts'
import { inTurns } from '../platform/http/request-turns.ts'
import { API_HEADERS } from '../platform/http/security-headers.ts'
import type { Serve } from '../platform/http/server.ts'
import { createLog } from '../platform/log.ts'
import type { Runtime } from '../platform/runtime.ts'
import { mended } from './adapter.ts'
import { openLibc } from './libc-deno.ts'

/** What is used of Deno's API; its own types conflict with Bun's. */
export type DenoApi = {
  args: string[]
  serve(
    options: {
      port: number
      hostname: string
      signal: AbortSignal
      onListen(): void
      onError(error: unknown): Response
    },
    handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
  ): { addr: { port: number }; shutdown(): Promise<void>; finished: Promise<void> }
  cron(name: string, schedule: string, work: () => Promise<void>): Promise<void>
}

export const deno = (globalThis as unknown as { Deno: DenoApi }).Deno

/** Each connection may take about 0.6 MB: Deno keeps so much of the answers that a client does not read. */
const MAX_CONNECTIONS = 1024

const denoServe: Serve = ({ port, address }, handler, failed) => {
  const peers = new WeakMap<Request, string>()
  const fetch = inTurns(handler, { isOpen: ({ signal }) => !signal.aborted })
  const { promise: cut, resolve } = Promise.withResolvers<void>()
  let isStopping = false
  const listenOn = (port: number) => {
    const ending = new AbortController()
    const server = deno.serve(
      { port, hostname: address, signal: ending.signal, onListen: () => {}, onError: failed },
      (request, { remoteAddr }) => {
        if (isChunked(request)) return lengthRequired()
        peers.set(request, remoteAddr.hostname)
        return fetch(request)
      },
    )
    // Deno's server ends where it can't accept a connection, as with too many open files.
    server.finished.catch(() => {
      ending.abort()
      return listenAgain(server.addr.port)
    })
    return { server, end: () => ending.abort() }
  }
  const listenAgain = async (port: number): Promise<void> => {
    while (!isStopping) {
      try {
        listening = listenOn(port)
        return
      } catch {
        await sleep(100)
      }
    }
  }
  let listening = listenOn(port)
  const stopLimiting = limitConnections(openLibc(), listening.server.addr.port, MAX_CONNECTIONS)
  return {
    port: listening.server.addr.port,
    addressOf: (request) => peers.get(request) ?? null,
    drain: () => {
      isStopping = true
      return Promise.race([listening.server.shutdown(), cut]).finally(stopLimiting)
    },
    cut: () => {
      listening.end()
      resolve()
    },
  }
}

/**
 * The answer to a body in chunks, which is never read: Deno hands over each chunk by itself, and takes longer for each the more
 * have come. One connection that sent 5 MB/s of one-byte chunks had everybody wait for half a minute.
 */
const lengthRequired = () =>
  Response.json(
    { error: 'A body in chunks can not be read here. Send its length in Content-Length.' },
    { status: 411, headers: API_HEADERS },
  )

/**
 * Has immediates wait until the event loop has looked for what has come. Deno goes on with those that immediates ask for, a
 * hundred turns and more, before it looks: work that lets others go first by an immediate would not.
 */
function mendImmediates(): void {
  const later = (work: (...given: unknown[]) => void, ...given: unknown[]) => setTimeout(work, 0, ...given)
  globalThis.setImmediate = later as unknown as typeof setImmediate
  globalThis.clearImmediate = clearTimeout as typeof clearImmediate
}

/** Everything on Deno. Compiles argon2id, which takes some milliseconds. */
export async function denoRuntime(): Promise<Runtime> {
  mendImmediates()
  const argon2 = await readFile(new URL(import.meta.resolve('@phi-ag/argon2/argon2.wasm')))
  return {
    clock: systemClock,
    argon2id: wasmArgon2id(await WebAssembly.compile(new Uint8Array(argon2))),
    serve: denoServe,
    openRedis: null,
    createLog,
    adapter: mended(WebStandardAdapter),
  }
}
