// Of the library for passkeys, whose own import of it comes too late in a bundle.
import 'reflect-metadata'
import { CloudflareAdapter } from 'elysia/adapter/cloudflare-worker'
import { createApp } from '../backend/app.ts'
import type { Config } from '../config.ts'
import { createLasting } from '../context.ts'
import type { FindFile } from '../frontend/files.ts'
import { besideBackend, createFrontend } from '../frontend/server.ts'
import { withReadableUrl } from '../platform/http/server.ts'
import { type DatabaseConfig, openDatabase } from '../platform/postgres/database.ts'
import { workOnce } from '../platform/queue/once.ts'
import type { Ports } from '../platform/runtime.ts'
import { schedule } from '../worker/schedule.ts'
import { mended } from './adapter.ts'
import { createScopedContext } from './scoped-context.ts'
import { createStart } from './start.ts'

/** What a Worker is told of the request or the event that it serves. */
export type Execution = { waitUntil(work: Promise<unknown>): void }

export type WorkerOptions = {
  config: Config
  schemaVersion: number
  ports: Ports
  /** Where the database is; asked within a request only. */
  database: () => DatabaseConfig
  peerAddress: (request: Request) => string | null
  findFile: FindFile
}

/** Of one request. Hyperdrive and the platform's own limit allow no more than six. */
const CONNECTIONS = 5
/** The next round comes a minute later. */
const ROUND_SECONDS = 50

/**
 * The backend, the console and the jobs as the handlers of a Worker. Must be called while the module is loaded: the router is compiled
 * then, which no request may do.
 */
export function createWorker(options: WorkerOptions) {
  const { config, schemaVersion, ports, database, peerAddress, findFile } = options
  const lasting = createLasting(config, schemaVersion, ports)
  const { ctx, within } = createScopedContext(lasting, ports, () =>
    openDatabase(database(), { max: CONNECTIONS, deadlines: config.deadlines }),
  )
  const app = createApp(ctx, peerAddress, mended(CloudflareAdapter)).compile()
  const problem = createStart(ctx)
  const frontend = createFrontend(config, ctx.log, findFile)
  const waitUntil = (execution: Execution) => (work: Promise<unknown>) => execution.waitUntil(work)
  return {
    fetch: async (original: Request, execution: Execution): Promise<Response> => {
      const backend = (request: Request) =>
        within(waitUntil(execution), async () => (await problem(request)) ?? (await app.fetch(request)))
      return await besideBackend({ fetch: backend }, frontend).fetch(withReadableUrl(original))
    },
    /** One round of jobs: what waits in the queues, and what is due by `cron`. */
    scheduled: (cron: string, execution: Execution): Promise<void> =>
      within(waitUntil(execution), async () => {
        if ((await problem()) !== null) return
        const jobs = await workOnce(ctx, schedule(ctx), { cron, seconds: ROUND_SECONDS })
        if (jobs > 0) ctx.log.info({ cron, jobs }, 'Jobs were run')
      }),
  }
}
