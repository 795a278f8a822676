import { bun } from '../../src/platform/bun.ts'
import { serveRemotely } from './remote-process.ts'

await serveRemotely(bun)
