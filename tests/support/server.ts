import { spawn } from 'node:child_process'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** A Postgres server for tests. `stop` resolves once it is gone, data included. */
export type TestServer = { url: string; stop(): Promise<void> }

/** Starts a throw-away Postgres server with its data in a folder, which ends with this process at the latest. */
export async function startTestServer(folder = tmpdir()): Promise<TestServer> {
  const script = fileURLToPath(new URL('./postgres-server.ts', import.meta.url))
  // It must outlive the tests that use it, to delete its data after them. So it leaves the foreground group,
  // which Ctrl-C reaches, and through the shell the family of `bun test`, which kills its descendants.
  const { BUN_FEATURE_FLAG_NO_ORPHANS: _, ...env } = process.env
  const inBackground = '"$0" "$@" <&3 3<&- &'
  const child = spawn('sh', ['-c', inBackground, process.execPath, script], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    detached: true,
    env: { ...env, TMPDIR: folder },
  })
  // Not its standard input: that would be closed as soon as the shell has ended.
  const leash = child.stdio[3] as Writable
  // Closed is the child when nobody has its output open any more: when the server has ended, too.
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = await firstLine(child.stdio[1] as Readable, ended)
  child.unref()
  return {
    url,
    stop: async () => {
      leash.end()
      await ended
    },
  }
}

/** The folder for the data of many short tests: in memory where there is much, as some disks take long to create a database. */
export async function fastestFolder(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= ENOUGH_BYTES ? memory : tmpdir()
}

/** Ten times what all tiers have taken. */
const ENOUGH_BYTES = 4 * 1024 ** 3

async function firstLine(output: Readable, ended: Promise<void>): Promise<string> {
  let text = ''
  const line = new Promise<string>((resolve) => {
    output.on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
    })
  })
  const failed = ended.then(() => Promise.reject(new Error('The Postgres server for tests did not start.')))
  return await Promise.race([line, failed])
}
