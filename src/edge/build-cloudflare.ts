import { join } from 'node:path'
import { buildWorker } from './worker-build.ts'

// Where wrangler.jsonc looks for it.
const outdir = join(import.meta.dir, '../../dist/cloudflare')
await buildWorker(join(import.meta.dir, 'cloudflare.ts'), outdir)
process.stdout.write(`The Worker is in ${outdir}.\n`)
