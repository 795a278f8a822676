import { copyFile, readdir, rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'

/** Where the build goes, as wrangler.jsonc has it. */
const root = join(import.meta.dir, '../..')
const outdir = process.argv[2] ?? join(root, 'dist/cloudflare')
const migrations = (await readdir(join(root, 'migrations'))).filter((name) => name.endsWith('.sql'))

await rm(outdir, { recursive: true, force: true })
const { success, logs } = await Bun.build({
  entrypoints: [join(root, 'src/edge/cloudflare.ts')],
  outdir,
  naming: 'worker.js',
  target: 'node',
  format: 'esm',
  // Names stay: they are in errors and traces.
  minify: { syntax: true, whitespace: true },
  define: { SCHEMA_VERSION: String(migrations.length), 'import.meta.url': '"file:///worker.js"' },
  plugins: [
    {
      name: 'workers',
      setup(build) {
        build.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, external: true }))
        // A Worker is given WebAssembly as a module of its own, and compiles none.
        build.onResolve({ filter: /\.wasm$/ }, () => ({ path: './argon2.wasm', external: true }))
        build.onResolve({ filter: /^libsodium$/ }, () => ({ path: 'libsodium', namespace: 'left-out' }))
        build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
          contents: `export default () => Promise.reject(new Error('${path} is not in this build.'))`,
          loader: 'js',
        }))
        build.onResolve({ filter: /^[a-z_]+(\/promises)?$/ }, ({ path }) =>
          isBuiltin(path) ? { path: `node:${path}`, external: true } : undefined,
        )
      },
    },
  ],
})
if (!success) throw new AggregateError(logs, 'The Worker could not be built.')

const worker = Bun.file(join(outdir, 'worker.js'))
await Bun.write(worker, withoutLocation(await worker.text()))
await copyFile(join(root, 'node_modules/@phi-ag/argon2/dist/argon2.wasm'), join(outdir, 'argon2.wasm'))
process.stdout.write(`The Worker is in ${outdir}.\n`)

/** The bundler's own `createRequire` wants to know where the file is, which a Worker has no answer to. */
function withoutLocation(text: string): string {
  return text.replaceAll('createRequire(import.meta.url)', 'createRequire("file:///worker.js")')
}
