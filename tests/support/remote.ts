import { join } from 'node:path'
import type { Context } from '../../src/context.ts'
import type { TestDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { encodeSetup, NOW, PEER, SETUP } from './remote-ports.ts'
import { DENO, RUNTIMES, type RuntimeName } from './runtimes.ts'
import { workerdCommand } from './workerd.ts'

const root = join(import.meta.dir, '../..')

/** The runtime that the tests of the API ask over HTTP; null where they call the app within their process. */
export const remoteRuntime = (): RuntimeName | null =>
  RUNTIMES.find((name) => name === process.env.KEYWARD_TEST_RUNTIME) ?? null

type Server = { url: string; process: Bun.Subprocess }
const servers = new Map<TestDatabase, Map<string, Promise<Server>>>()

/** Sends a request to the backend of this context on the other runtime, which the first request starts. */
export async function fetchRemotely(
  runtime: RuntimeName,
  ctx: Context & { database: TestDatabase },
  peerAddress: string,
  request: Request,
): Promise<Response> {
  const { url } = await serverOf(runtime, ctx)
  const { pathname, search } = new URL(request.url)
  const headers = new Headers(request.headers)
  headers.set(NOW, String(ctx.clock.now().getTime()))
  headers.set(PEER, peerAddress)
  const body = request.body === null ? null : await request.arrayBuffer()
  return await fetch(url + pathname + search, {
    method: request.method,
    headers,
    body,
    redirect: 'manual',
    keepalive: false,
  })
}

/** Ends what was started for a database. */
export async function endRemotes(database: TestDatabase): Promise<void> {
  const all = [...(servers.get(database)?.values() ?? [])]
  servers.delete(database)
  for (const server of all) {
    const { process } = await server
    process.kill('SIGKILL')
    await process.exited
  }
}

async function serverOf(runtime: RuntimeName, ctx: Context & { database: TestDatabase }): Promise<Server> {
  const { config, schemaVersion } = ctx
  const setup = encodeSetup({ config, schemaVersion, database: ctx.database.config })
  const known = servers.get(ctx.database) ?? new Map<string, Promise<Server>>()
  servers.set(ctx.database, known)
  const server = known.get(setup) ?? start(runtime, setup)
  known.set(setup, server)
  return await server
}

async function start(runtime: RuntimeName, setup: string): Promise<Server> {
  const port = freePort()
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), [SETUP]: setup }
  const child = Bun.spawn(await commandOf(runtime, port, setup), {
    cwd: root,
    env,
    stdout: 'ignore',
    stderr: process.env.KEYWARD_TEST_REMOTE_LOG ? 'inherit' : 'ignore',
  })
  const url = `http://localhost:${port}`
  await eventually(
    `${runtime} serves`,
    async () => {
      if (child.exitCode !== null) throw new Error(`${runtime} ended with ${child.exitCode}.`)
      return (await fetch(`${url}/service/health/`).catch(() => null))?.ok === true
    },
    25,
  )
  return { url, process: child }
}

async function commandOf(runtime: RuntimeName, port: number, setup: string): Promise<string[]> {
  switch (runtime) {
    case 'bun':
      return [process.execPath, 'tests/support/remote-bun.ts']
    case 'deno':
      return [DENO, ...['run', '-A', '--node-modules-dir=manual', 'tests/support/remote-deno.ts']]
    case 'workerd':
      return await workerdCommand('tests/support/remote-worker.ts', port, { [SETUP]: setup })
  }
}
