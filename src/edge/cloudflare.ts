import argon2 from '@phi-ag/argon2/argon2.wasm'
import { ConfigError } from '../config.ts'
import { loadFastestAead } from '../core/keys/xchacha20poly1305.ts'
import { wasmArgon2id } from '../platform/argon2id-wasm.ts'
import { systemClock } from '../platform/clock.ts'
import { createConsoleLog } from '../platform/console-log.ts'
import type { Ports } from '../platform/runtime.ts'
import { readWorkerConfig, readWorkerDatabase, workerAssets } from './cloudflare-config.ts'
import { filesOf } from './cloudflare-files.ts'
import { unusable } from './start.ts'
import { createWorker, type Execution } from './worker.ts'

/** The newest migration, which the build fills in. */
declare const SCHEMA_VERSION: number

const ports: Ports = {
  clock: systemClock,
  argon2id: wasmArgon2id(argon2),
  openRedis: null,
  createLog: createConsoleLog,
}

// Here, because requests would share the promise.
await loadFastestAead()

const worker = create()

// biome-ignore lint/style/noDefaultExport: the form of a Worker
export default {
  fetch: (request: Request, _: unknown, execution: Execution) => worker.fetch(request, execution),
  scheduled: ({ cron }: { cron: string }, _: unknown, execution: Execution) =>
    worker.scheduled(cron, execution),
}

/** An isolate that throws while it starts would be started again for each request, and say nothing of the reason. */
function create() {
  try {
    return createWorker({
      config: readWorkerConfig(),
      schemaVersion: SCHEMA_VERSION,
      ports,
      database: readWorkerDatabase,
      peerAddress: (request) => request.headers.get('cf-connecting-ip'),
      findFile: filesOf(workerAssets()),
    })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const log = createConsoleLog('error')
    const answer = async (): Promise<Response> => {
      log.error({ faults: error.faults }, 'Keyward cannot start')
      return unusable('The configuration cannot be used. The log says why.')
    }
    return { fetch: answer, scheduled: async () => void (await answer()) }
  }
}
