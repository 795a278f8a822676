import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseConfig } from '../../src/platform/postgres/database.ts'
import { stopLeftoverPostmaster } from '../../src/platform/postgres/postmaster.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'

/** Keyward as a process, in a process group of its own. */
export type Keyward = {
  child: ChildProcess
  /** Of its port, on this machine. */
  url: string
  /** Everything that it has printed so far. */
  output(): string
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | string | null>
  /** Ends it with a signal, and waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | string | null>
}

export type KeywardOptions = {
  args?: string[]
  env?: Record<string, string>
  /** The program and the arguments before `args`. */
  command?: string[]
}

const root = new URL('../../', import.meta.url).pathname
const running = new Set<Keyward>()
const directories = new Set<string>()

/** Starts the program with nothing in its environment but `env` and a free port, without waiting for anything. */
export function startKeyward(options: KeywardOptions = {}): Keyward {
  const { args = [], command = [process.execPath, join(root, 'src/main.ts')] } = options
  const port = options.env?.PORT ?? String(freePort())
  const child = spawn(command[0] ?? '', [...command.slice(1), ...args], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BIND_ADDRESS: '127.0.0.1',
      ...options.env,
      PORT: port,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  }
  const keyward: Keyward = {
    child,
    url: `http://localhost:${port}`,
    output: () => text,
    exited: new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal))),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      return await keyward.exited
    },
  }
  running.add(keyward)
  void keyward.exited.then(() => running.delete(keyward))
  return keyward
}

/** Starts it and waits until it is ready; fails with what it printed when it ends instead. */
export async function readyKeyward(options: KeywardOptions = {}): Promise<Keyward> {
  const keyward = startKeyward(options)
  await ready(keyward)
  return keyward
}

/** Waits until it answers that it can do its work. */
export async function ready(keyward: Keyward): Promise<void> {
  await eventually(
    'Keyward is ready',
    async () => {
      const { exitCode, signalCode } = keyward.child
      if (exitCode !== null || signalCode !== null) throw new Error(`Keyward ended:\n${keyward.output()}`)
      return (await statusOf(`${keyward.url}/service/ready/`)) === 200
    },
    20,
  )
}

/** The status of a GET; null where nobody listens. */
export async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number | null> {
  return await fetch(url, { headers }).then(
    (response) => response.status,
    () => null,
  )
}

/** A new directory for data, deleted by `cleanUp`. */
export async function dataDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'keyward-serve-'))
  directories.add(path)
  return path
}

/** The port of the PostgreSQL that runs in a data directory; null when none does. */
export async function postgresPort(directory: string): Promise<number | null> {
  const text = await readFile(join(directory, 'postgres', 'postmaster.pid'), 'utf8').catch(() => null)
  return text === null ? null : Number(text.split('\n')[3])
}

/** Whether somebody listens on a port of this machine. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() === socket))
    socket.on('error', () => resolve(false))
  })
}

/** The address of a test's database, as DATABASE_URL. */
export function databaseUrl({ host, port, database, username, password }: DatabaseConfig): string {
  return `postgres://${username}:${encodeURIComponent(password)}@${host}:${port}/${database}?sslmode=disable`
}

/** Ends whatever a failed test left running, and deletes the data. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...running].map((keyward) => keyward.stop('SIGKILL')))
  for (const path of directories) {
    await stopLeftoverPostmaster(join(path, 'postgres'))
    await rm(path, { recursive: true, force: true })
  }
}
