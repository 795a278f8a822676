import argon2 from '@phi-ag/argon2/argon2.wasm'
import { loadFastestAead } from '../../src/core/keys/xchacha20poly1305.ts'
import { createWorker, type Execution } from '../../src/edge/worker.ts'
import { wasmArgon2id } from '../../src/platform/argon2id-wasm.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createConsoleLog } from '../../src/platform/console-log.ts'
import { decodeSetup, followClock, forTests, PEER, SETUP } from './remote-ports.ts'

await loadFastestAead()

const { config, database, schemaVersion } = decodeSetup(process.env[SETUP] ?? '')
const ports = forTests({
  clock: systemClock,
  argon2id: wasmArgon2id(argon2),
  openRedis: null,
  createLog: createConsoleLog,
})
const worker = createWorker({
  config,
  schemaVersion,
  ports,
  database: () => database,
  peerAddress: (request) => request.headers.get(PEER),
  findFile: async () => null,
})

// biome-ignore lint/style/noDefaultExport: the form of a Worker
export default {
  fetch: (request: Request, _: unknown, execution: Execution) => {
    followClock(request)
    return worker.fetch(request, execution)
  },
}
