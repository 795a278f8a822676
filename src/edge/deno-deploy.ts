import { createApp } from '../backend/app.ts'
import { readConfig } from '../config.ts'
import { createContext } from '../context.ts'
import { builtFiles } from '../frontend/files.ts'
import { besideBackend, createFrontend } from '../frontend/server.ts'
import { withReadableUrl } from '../platform/http/server.ts'
import { readMigrations } from '../platform/postgres/migrate.ts'
import { workOnce } from '../platform/queue/once.ts'
import { schedule } from '../worker/schedule.ts'
import { deno, denoRuntime } from './deno-runtime.ts'
import { createStart } from './start.ts'

/** The next round comes a minute later. */
const ROUND_SECONDS = 50

// Deno Deploy: the backend and the frontend for requests, and the jobs by its timer. It starts many of these and ends them
// when no request comes: so no worker runs, and nothing waits for the database before it listens.
const runtime = await denoRuntime()
const config = readConfig('backend')
if (config.database === null) throw new Error('DATABASE_URL is not set.')
const schemaVersion = (await readMigrations()).at(-1)?.version ?? 0
const ctx = createContext(config, config.database, schemaVersion, runtime)
const problem = createStart(ctx)
let starting: Promise<void> | null = null
const started = () => {
  starting ??= ctx.queue.start().catch((error) => {
    starting = null
    throw error
  })
  return starting
}

const jobs = schedule(ctx)
for (const cron of new Set(['* * * * *', ...jobs.flatMap((job) => job.cron ?? [])])) {
  void deno.cron(`jobs ${cron.replace(/[^\w ]/g, '-')}`, cron, async () => {
    if ((await problem()) === null) await workOnce(ctx, jobs, { cron, seconds: ROUND_SECONDS })
  })
}

const peers = new WeakMap<Request, string>()
const backend = createApp(ctx, (request) => peers.get(request) ?? null, runtime.adapter).fetch
const { fetch } = besideBackend(
  {
    fetch: async (request) => {
      const refusal = await problem(request)
      if (refusal !== null) return refusal
      await started()
      return await backend(request)
    },
  },
  createFrontend(config, ctx.log, builtFiles()),
)

deno.serve(
  {
    port: config.port,
    hostname: config.bindAddress,
    signal: new AbortController().signal,
    onListen: () => {},
    onError: () => Response.json({ error: 'Internal error.' }, { status: 500 }),
  },
  (original, { remoteAddr }) => {
    const request = withReadableUrl(original)
    peers.set(request, remoteAddr.hostname)
    return fetch(request)
  },
)
