import { denoRuntime } from '../../src/edge/deno-runtime.ts'
import { serveRemotely } from './remote-process.ts'

await serveRemotely(await denoRuntime())
