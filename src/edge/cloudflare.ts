import argon2 from '@phi-ag/argon2/argon2.wasm'
import { CloudflareAdapter } from 'elysia/adapter/cloudflare-worker'
import { createApp } from '../backend/app.ts'
import { ConfigError } from '../config.ts'
import { createLasting } from '../context.ts'
import { loadFastestAead } from '../core/keys/xchacha20poly1305.ts'
import { wasmArgon2id } from '../platform/argon2id-wasm.ts'
import { createConsoleLog } from '../platform/console-log.ts'
import { withReadableUrl } from '../platform/http/server.ts'
import { openDatabase } from '../platform/postgres/database.ts'
import { workOnce } from '../platform/queue/once.ts'
import type { Ports } from '../platform/runtime.ts'
import { schedule } from '../worker/schedule.ts'
import { withEmptyBodies } from './adapter.ts'
import { readWorkerConfig, readWorkerDatabase } from './cloudflare-config.ts'
import { createScopedContext } from './scoped-context.ts'
import { createStart, unusable } from './start.ts'

/** The newest migration, which the build fills in. */
declare const SCHEMA_VERSION: number

type Execution = { waitUntil(work: Promise<unknown>): void }

const CONNECTIONS = 5
const ROUND_SECONDS = 50

const ports: Ports = { argon2id: wasmArgon2id(argon2), openRedis: null, createLog: createConsoleLog }

// What a request may not do for all others: promises are shared by those that wait for them.
await loadFastestAead()

function createWorker() {
  const lasting = createLasting(readWorkerConfig(), SCHEMA_VERSION, ports)
  const { deadlines } = lasting.config
  const { ctx, within } = createScopedContext(lasting, ports, () =>
    openDatabase(readWorkerDatabase(), { max: CONNECTIONS, deadlines }),
  )
  const peerOf = (request: Request) => request.headers.get('cf-connecting-ip')
  const app = createApp(ctx, peerOf, withEmptyBodies(CloudflareAdapter)).compile()
  const problem = createStart(ctx)
  return {
    fetch: (request: Request, execution: Execution): Promise<Response> =>
      within(
        (work) => execution.waitUntil(work),
        async () => {
          const readable = withReadableUrl(request)
          return (await problem(readable)) ?? (await app.fetch(readable))
        },
      ),
    scheduled: (cron: string, execution: Execution): Promise<void> =>
      within(
        (work) => execution.waitUntil(work),
        async () => {
          if ((await problem()) !== null) return
          const jobs = await workOnce(ctx, schedule(ctx), { cron, seconds: ROUND_SECONDS })
          if (jobs > 0) ctx.log.info({ cron, jobs }, 'Jobs were run')
        },
      ),
  }
}

/** An isolate that throws while it starts answers with the platform's own page, and is started again for each request. */
function createWorkerOrReason() {
  try {
    return createWorker()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const log = createConsoleLog('error')
    const answer = async () => {
      log.error({ faults: error.faults }, 'Keyward cannot start')
      return unusable('The configuration cannot be used. The log says why.')
    }
    return { fetch: answer, scheduled: async () => void (await answer()) }
  }
}

const worker = createWorkerOrReason()

// biome-ignore lint/style/noDefaultExport: the form of a Worker
export default {
  fetch: (request: Request, _: unknown, execution: Execution) => worker.fetch(request, execution),
  scheduled: ({ cron }: { cron: string }, _: unknown, execution: Execution) =>
    worker.scheduled(cron, execution),
}
