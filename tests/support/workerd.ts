import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')

/** What wrangler.jsonc says that workerd is told, too. */
export type WranglerConfig = {
  main: string
  compatibility_date: string
  compatibility_flags: string[]
  vars: Record<string, string>
  triggers: { crons: string[] }
  hyperdrive: { binding: string; id: string }[]
}

/** `src/edge/wrangler.jsonc`: JSON with comments, which Bun reads. */
export async function readWranglerConfig(): Promise<WranglerConfig> {
  const { default: config } = (await import('../../src/edge/wrangler.jsonc')) as { default: WranglerConfig }
  return config
}

let building: Promise<string> | null = null

/** The folder with the built Worker; built once for each process of tests. */
export function builtWorker(): Promise<string> {
  building ??= build()
  return building
}

async function build(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-worker-'))
  const built = Bun.spawnSync([process.execPath, 'src/edge/build-cloudflare.ts', folder], { cwd: root })
  if (!built.success) throw new Error(`The Worker was not built:\n${built.stderr}`)
  return folder
}

/**
 * The command that runs the Worker on workerd as wrangler.jsonc has it: its date, its flags, its variables. `env` are
 * variables and secrets beside and instead of these. Scheduled events come with POST /cdn-cgi/handler/scheduled?cron=….
 */
export async function workerdCommand(port: number, env: Record<string, string>): Promise<string[]> {
  const [folder, wrangler] = [await builtWorker(), await readWranglerConfig()]
  const bindings = Object.entries({ ...wrangler.vars, ...env }).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  )
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "keyward", worker = (
      modules = [
        (name = "worker.js", esModule = embed "worker.js"),
        (name = "./argon2.wasm", wasm = embed "argon2.wasm"),
      ],
      compatibilityDate = ${JSON.stringify(wrangler.compatibility_date)},
      compatibilityFlags = ${JSON.stringify(wrangler.compatibility_flags)},
      bindings = [${bindings.join(', ')}],
      globalOutbound = "internet",
    )),
    (name = "internet", network = (
      allow = ["public", "private", "local"],
      tlsOptions = (trustBrowserCas = true),
    )),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "keyward")],
);
`
  const path = join(folder, `${port}.capnp`)
  await mkdir(folder, { recursive: true })
  await writeFile(path, config)
  const { default: program } = await import('workerd')
  return [program, 'serve', '--experimental', path]
}
