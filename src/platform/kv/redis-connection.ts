import { TimeoutError, withTimeout } from './remote.ts'

const CONNECT_TIMEOUT_MS = 2_000
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 2_000

/** One connection that is made again whenever it ends. */
export type RedisConnection = {
  /** The connected client, or null while there is none; waits for nothing but the very first attempt. */
  client(): Promise<Bun.RedisClient | null>
  close(): void
}

/**
 * Connects in the background and keeps connecting, with pauses of 0.1 to 2 s, until closed.
 * Calls `connected` for each new connection and `failed` for each attempt that fails; neither may throw.
 * A peer that is silent to a heartbeat for 2 s counts as gone. `ca` is a PEM certificate. Needs Bun.
 */
export function keepConnected(
  address: { url: string; ca: string | null },
  on: { connected(client: Bun.RedisClient): void; failed(error: unknown): void },
  heartbeatMs = 15_000,
): RedisConnection {
  const firstAttempt = Promise.withResolvers<void>()
  let current: Bun.RedisClient | null = null
  let live: Bun.RedisClient | null = null
  let closed = false
  let wake = () => {}

  async function attempt() {
    current = newClient(address)
    const ended = endOf(current, heartbeatMs)
    // Bun reports the reason of a failed connection only to a queued command.
    await current.ping()
    if (closed) return
    live = current
    firstAttempt.resolve()
    on.connected(live)
    await ended
  }

  async function run() {
    for (let pauseMs = MIN_PAUSE_MS; !closed; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      await attempt().catch((error) => closed || on.failed(error))
      if (live !== null) pauseMs = MIN_PAUSE_MS
      live = null
      current?.close()
      firstAttempt.resolve()
      await new Promise<void>((resolve) => {
        wake = resolve
        if (closed) resolve()
        else setTimeout(resolve, pauseMs).unref()
      })
    }
  }

  void run()
  return {
    client: async () => {
      await firstAttempt.promise
      return live
    },
    close() {
      closed = true
      current?.close()
      wake()
    },
  }
}

function newClient({ url, ca }: { url: string; ca: string | null }) {
  // Bun's own reconnecting gives up for good after some attempts, hence a new client for each attempt.
  return new Bun.RedisClient(url, {
    autoReconnect: false,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    ...(ca === null ? {} : { tls: { ca } }),
  })
}

function endOf(client: Bun.RedisClient, heartbeatMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // A peer that vanished without closing would otherwise go unnoticed by a connection that only listens.
  const heartbeat = setInterval(() => {
    withTimeout(CONNECT_TIMEOUT_MS, client.ping()).catch((error) => {
      if (error instanceof TimeoutError) client.close()
    })
  }, heartbeatMs)
  heartbeat.unref()
  client.onclose = () => {
    clearInterval(heartbeat)
    resolve()
  }
  return promise
}
