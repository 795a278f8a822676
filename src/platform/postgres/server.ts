import { type ChildProcess, spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresEnvironment, type SystemUser, spawnWithin } from './binaries.ts'
import { clusterDirectory } from './data-directory.ts'
import { readPostmaster } from './postmaster.ts'
import { postgresFailure, startLog } from './settings.ts'

/** A server that takes connections on 127.0.0.1. `exited` resolves when it has ended. */
export type Server = Readonly<{ child: ChildProcess; pid: number; port: number; exited: Promise<void> }>

/** What to start: the program, as which user, on the cluster of which data directory. */
export type Launch = Readonly<{
  program: string
  account: SystemUser
  directory: string
  settings: Readonly<Record<string, string>>
}>

/** Starts a server in a session of its own. Rejects with its last words when it ends instead. */
export async function startServer(launch: Launch, port: number): Promise<Server> {
  const cluster = clusterDirectory(launch.directory)
  // Once its own log is open, the server writes there: this file only gets what comes before.
  const output = await open(startLog(launch.directory), 'w', 0o600)
  const settings = Object.entries({ ...launch.settings, port: String(port) })
  // The user of the database can't walk to a directory that only root can enter, but it can be started in it.
  const data = launch.account ? '/proc/self/cwd' : cluster
  const child = spawnWithin(cluster, launch.account, (user) =>
    spawn(launch.program, ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])], {
      env: postgresEnvironment(),
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
      ...user,
    }),
  )
  child.unref()
  let ended = false
  const exited = new Promise<void>((resolve) => {
    for (const event of ['exit', 'error'] as const) child.once(event, () => resolve())
  }).then(() => {
    ended = true
  })
  try {
    while (!ended) {
      const found = await readPostmaster(cluster)
      if (found && found.pid === child.pid && found.ready) return { child, pid: found.pid, port, exited }
      await sleep(10)
    }
  } finally {
    await output.close()
  }
  throw new Error(await postgresFailure(launch.directory))
}

/** Starts it on a port that is free, and again when another program has taken that port meanwhile. */
export async function startOnFreePort(launch: Launch): Promise<Server> {
  const giveUp = performance.now() + 10_000
  for (;;) {
    try {
      return await startServer(launch, await freePort())
    } catch (error) {
      // The latter: processes of a killed server are still about to end.
      const passing = /Address already in use|shared memory block/.test(String(error))
      if (!passing || performance.now() > giveUp) throw error
      await sleep(100)
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
