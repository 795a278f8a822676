import { copyFile, readdir, rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')

/** Builds a Worker of two modules, `worker.js` and `argon2.wasm`, into a folder, which is emptied first. */
export async function buildWorker(entry: string, outdir: string): Promise<void> {
  const migrations = (await readdir(join(root, 'migrations'))).filter((name) => name.endsWith('.sql'))
  await rm(outdir, { recursive: true, force: true })
  const { success, logs } = await Bun.build({
    entrypoints: [entry],
    outdir,
    naming: 'worker.js',
    // Not with the condition `workerd`, by which some packages choose a build that lacks what is used of them.
    target: 'node',
    format: 'esm',
    // Names stay: they are in errors and traces.
    minify: { syntax: true, whitespace: true },
    define: { SCHEMA_VERSION: String(migrations.length), 'import.meta.url': '"file:///worker.js"' },
    plugins: [modulesOfWorkers],
  })
  if (!success) throw new AggregateError(logs, 'The Worker could not be built.')
  const worker = Bun.file(join(outdir, 'worker.js'))
  // The bundler's own preamble asks where the file is, which a Worker has no answer to.
  const text = (await worker.text()).replaceAll(
    'createRequire(import.meta.url)',
    'createRequire("file:///worker.js")',
  )
  await Bun.write(worker, text)
  await copyFile(join(root, 'node_modules/@phi-ag/argon2/dist/argon2.wasm'), join(outdir, 'argon2.wasm'))
}

const modulesOfWorkers: Bun.BunPlugin = {
  name: 'modules of Workers',
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
}
