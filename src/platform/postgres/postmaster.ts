import { readFile, readlink, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './binaries.ts'

/** What a running server says of itself in its directory. */
export type Postmaster = { pid: number; port: number; ready: boolean }

/** Reads `postmaster.pid`; null where there is none. */
export async function readPostmaster(cluster: string): Promise<Postmaster | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 1) return null
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

/** The port of the server that runs in this directory and takes connections; null when none does. */
export async function runningPort(cluster: string): Promise<number | null> {
  const found = await readPostmaster(cluster)
  return found?.ready && (await isPostmasterOf(found.pid, cluster)) ? found.port : null
}

/**
 * Ends the server that a killed Keyward left behind in this directory, and says whether there was one. The
 * process id alone proves nothing after a reboot: it counts only if it is a Postgres that works in this directory.
 */
export async function stopLeftoverPostmaster(cluster: string): Promise<boolean> {
  const left = await readPostmaster(cluster)
  if (left === null) return false
  if (await isPostmasterOf(left.pid, cluster)) {
    await stopPostmaster(left.pid, cluster)
    return true
  }
  // Otherwise PostgreSQL takes the process with this id for a running server.
  if (isAlive(left.pid)) await rm(join(cluster, 'postmaster.pid'), { force: true })
  return false
}

/**
 * Stops a server with a fast shutdown: transactions are rolled back and the data is left clean. After 30 s it is
 * ended at once, which the next start repairs. Rejects if it runs even then.
 */
export async function stopPostmaster(pid: number, cluster: string): Promise<void> {
  for (const [signal, seconds] of [
    ['SIGINT', 30],
    ['SIGQUIT', 10],
  ] as const) {
    if (!(await isPostmasterOf(pid, cluster))) return
    signalProcess(pid, signal)
    const until = performance.now() + seconds * 1000
    while (performance.now() < until) {
      if (!(await isPostmasterOf(pid, cluster))) return
      await sleep(10)
    }
  }
  throw new Error(`The PostgreSQL of ${cluster} (process ${pid}) does not stop.`)
}

async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform !== 'linux') {
    const command = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => '')
    return command.includes(`postgres -D ${cluster} `)
  }
  // Both links are gone once the process has ended, even if nobody has waited for it yet.
  const [program, directory] = await Promise.all(
    ['exe', 'cwd'].map((link) => targetOf(`/proc/${pid}/${link}`)),
  )
  return directory === cluster && basename(program ?? '').startsWith('postgres')
}

/** Where a link leads; empty where there is none. Deno reads nothing in `/proc` unless it may do everything. */
async function targetOf(link: string): Promise<string> {
  try {
    return await readlink(link)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return ''
    return (await run('readlink', [link]).catch(() => '')).trim()
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM'
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ESRCH') throw error
  }
}
