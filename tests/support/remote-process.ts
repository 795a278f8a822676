import { createApp } from '../../src/backend/app.ts'
import { createContext } from '../../src/context.ts'
import { requireServerSecret } from '../../src/core/deployment.ts'
import { listen } from '../../src/platform/http/server.ts'
import type { Runtime } from '../../src/platform/runtime.ts'
import { decodeSetup, followClock, forTests, PEER, SETUP } from './remote-ports.ts'

/** Serves the backend of a test's context on a runtime with processes, on the port that the environment names. */
export async function serveRemotely(runtime: Runtime): Promise<void> {
  const ports = forTests(runtime)
  const { config, database, schemaVersion } = decodeSetup(process.env[SETUP] ?? '')
  const ctx = createContext(config, database, schemaVersion, ports)
  await requireServerSecret(ctx.db, ctx.keys)
  await ctx.queue.start()
  const peerOf = (request: Request) => request.headers.get(PEER)
  const { fetch, senderOf, beginChunked, expectBody } = createApp(ctx, peerOf, runtime.adapter)
  listen(ports.serve, { port: Number(process.env.PORT), address: '127.0.0.1' }, () => ({
    fetch: (request) => {
      followClock(request)
      return fetch(request)
    },
    senderOf,
    beginChunked,
    expectBody,
  }))
}
