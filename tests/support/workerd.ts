/// <reference path="./workerd-package.d.ts" />
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWorker } from '../../src/edge/worker-build.ts'

const root = join(import.meta.dir, '../..')

/** What wrangler.jsonc says that workerd is told, too. */
export type WranglerConfig = {
  main: string
  build: { command: string; cwd: string }
  compatibility_date: string
  compatibility_flags: string[]
  vars: Record<string, string>
  triggers: { crons: string[] }
  hyperdrive: { binding: string; id: string }[]
  assets: { binding: string; directory: string }
}

/** `src/edge/wrangler.jsonc`: JSON with comments, which Bun reads. */
export async function readWranglerConfig(): Promise<WranglerConfig> {
  const { default: config } = (await import('../../src/edge/wrangler.jsonc')) as { default: WranglerConfig }
  return config
}

/** The entry of the Worker that is deployed. */
export const WORKER = 'src/edge/cloudflare.ts'

/** Sends scheduled events, as the platform's timer does. */
const TIMER = `export default {
  async fetch(request, { KEYWARD }) {
    const cron = new URL(request.url).searchParams.get('cron')
    const { outcome } = await KEYWARD.scheduled({ scheduledTime: new Date(), cron })
    return new Response(outcome, { status: outcome === 'ok' ? 200 : 500 })
  },
}`

const builds = new Map<string, Promise<string>>()

/** The folder with what an entry builds; built once for each process of tests. */
function builtWorker(entry: string): Promise<string> {
  const known = builds.get(entry) ?? build(entry)
  builds.set(entry, known)
  return known
}

async function build(entry: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-worker-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await buildWorker(join(root, entry), folder)
  return folder
}

/**
 * The command that runs the Worker on workerd as wrangler.jsonc has it: its date, its flags, its variables. `env` are
 * variables and secrets beside and instead of these. On
 * the port of TIMER_PORT, every request is a scheduled event, of the schedule that its `cron` names.
 */
export async function workerdCommand(
  entry: string,
  port: number,
  env: Record<string, string>,
): Promise<string[]> {
  const [folder, wrangler] = [await builtWorker(entry), await readWranglerConfig()]
  const bindings = Object.entries({ ...wrangler.vars, ...env }).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  )
  const ports = Object.entries({ keyward: port, ...(env.TIMER_PORT && { timer: env.TIMER_PORT }) })
  const sockets = ports.map(
    ([service, at]) =>
      `(name = "${service}", address = "127.0.0.1:${at}", http = (), service = "${service}")`,
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
      bindings = [${bindings.join(', ')}, (name = ${JSON.stringify(wrangler.assets.binding)}, service = "assets")],
      globalOutbound = "internet",
    )),
    (name = "timer", worker = (
      modules = [(name = "timer.js", esModule = ${JSON.stringify(TIMER)})],
      compatibilityDate = ${JSON.stringify(wrangler.compatibility_date)},
      compatibilityFlags = ["service_binding_extra_handlers"],
      bindings = [(name = "KEYWARD", service = "keyward")],
    )),
    (name = "assets", disk = (path = ${JSON.stringify(join(root, 'src/frontend/dist'))})),
    (name = "internet", network = (
      allow = ["public", "private", "local"],
      tlsOptions = (trustBrowserCas = true),
    )),
  ],
  sockets = [${sockets.join(', ')}],
);
`
  const path = join(folder, `${port}.capnp`)
  await writeFile(path, config)
  const { default: program } = await import('workerd')
  return [program, 'serve', '--experimental', path]
}
