import { chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import tailwind from 'bun-plugin-tailwind'

/*
 * Builds the console for browsers: `bun src/frontend/build.ts` writes `dist/`, beside this file, when a source is newer
 * than what is there. Every file but the page has the hash of its content in its name, and stands there compressed, too.
 */

const APP = join(import.meta.dir, 'app')
const BUILD = join(import.meta.dir, 'dist')

/** What the build reads: the console, the rules of the product that it asks, and the versions of libraries. */
const SOURCES = [
  APP,
  join(import.meta.dir, '../core'),
  join(import.meta.dir, '../../bun.lock'),
  import.meta.path,
]

/** Stands in a build for development, which nothing else may serve. */
const DEVELOPMENT = 'development'

const COMPRESSED = /\.(?:js|css|html|svg)$/

/** Builds the console where it is out of date, or always with `force`; returns whether it did. */
export async function buildConsole({ force = false, development = false } = {}): Promise<boolean> {
  if (!force && !(await isOutdated())) return false
  const start = performance.now()
  const outdir = await mkdtemp(`${BUILD}-`)
  const { outputs } = await Bun.build({
    entrypoints: [join(APP, 'index.html')],
    outdir,
    target: 'browser',
    splitting: true,
    minify: !development,
    sourcemap: development ? 'linked' : 'none',
    publicPath: '/',
    naming: {
      entry: '[name].[ext]',
      chunk: 'assets/[name]-[hash].[ext]',
      asset: 'assets/[name]-[hash].[ext]',
    },
    define: { 'process.env.NODE_ENV': development ? '"development"' : '"production"' },
    plugins: [tailwind],
  })
  await Promise.all(outputs.filter(({ path }) => COMPRESSED.test(path)).map(({ path }) => compress(path)))
  if (development) await Bun.write(join(outdir, DEVELOPMENT), '')
  await replaceBuild(outdir)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  process.stdout.write(`The console was built in ${seconds} s.\n`)
  return true
}

/** Puts a build in the place of the one that is there. Where another process did so meanwhile, its build stays. */
async function replaceBuild(outdir: string): Promise<void> {
  await chmod(outdir, 0o755)
  await rm(BUILD, { recursive: true, force: true })
  await rename(outdir, BUILD).catch(() => rm(outdir, { recursive: true }))
}

async function compress(path: string): Promise<void> {
  const content = await Bun.file(path).bytes()
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  await Bun.write(`${path}.br`, brotliCompressSync(content, { params }))
}

async function isOutdated(): Promise<boolean> {
  const built = await stat(join(BUILD, 'index.html')).catch(() => null)
  if (built === null || (await Bun.file(join(BUILD, DEVELOPMENT)).exists())) return true
  const newest = await Promise.all(SOURCES.map(newestChange))
  return Math.max(...newest) > built.mtimeMs
}

async function newestChange(path: string): Promise<number> {
  const { mtimeMs } = await stat(path)
  const names = await readdir(path, { recursive: true }).catch(() => [])
  const times = await Promise.all(names.map(async (name) => (await stat(join(path, name))).mtimeMs))
  return Math.max(mtimeMs, ...times)
}

if (import.meta.main) await buildConsole({ force: process.argv.includes('--force') })
