import { cp } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { buildConsole } from '../frontend/build.ts'
import { buildWorker } from './worker-build.ts'

// Where wrangler.jsonc looks for the Worker and its assets.
const outdir = join(import.meta.dir, '../../dist/cloudflare')
await buildConsole()
await buildWorker(join(import.meta.dir, 'cloudflare.ts'), outdir)
await cp(join(import.meta.dir, '../frontend/dist'), join(outdir, 'assets'), {
  recursive: true,
  // Cloudflare compresses what it sends by itself.
  filter: (path) => extname(path) !== '.br',
})
process.stdout.write(`The Worker is in ${outdir}.\n`)
