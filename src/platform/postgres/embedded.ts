import { type ChildProcess, spawn } from 'node:child_process'
import { open, readFile, realpath } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { findPostgresBinaries, postgresAccount, postgresEnvironment, type SystemUser } from './binaries.ts'
import { initialiseCluster } from './cluster.ts'
import { clusterDirectory, isEmpty } from './data-directory.ts'
import { type DatabaseConfig, openDatabase } from './database.ts'
import { readPostmaster, stopLeftoverPostmaster, stopPostmaster } from './postmaster.ts'
import { postgresFailure, pruneLogs, serverSettings, startLog } from './settings.ts'

/** A running server. `exited` resolves when it has ended, be it through `stop` or by itself. */
export type EmbeddedPostgres = {
  config: DatabaseConfig
  exited: Promise<void>
  /** Ends connections, rolls back what is open, and resolves when the server is gone; safe to call twice. */
  stop(): Promise<void>
}

/** `temporary` trades durability for speed: for data that may be lost with the machine's power. */
export type EmbeddedPostgresOptions = {
  directory: string
  password: string
  log: Log
  temporary?: boolean
}

/**
 * Starts the PostgreSQL server of a data directory that the caller has locked, on a free port of 127.0.0.1, and
 * makes its cluster, its role and its database where they are missing. It runs in a session of its own, so that a
 * Ctrl-C reaches us alone and it goes on until `stop`. One that a killed predecessor left is stopped first.
 * Rejects with a sentence when the cluster is of another PostgreSQL version or the server does not come up.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const directory = await realpath(options.directory)
  const cluster = clusterDirectory(directory)
  const isNew = await isEmpty(cluster)
  const account = await postgresAccount(isNew ? null : cluster)
  const binaries = await findPostgresBinaries(account)
  const temporary = options.temporary ?? false
  if (isNew) await initialiseCluster({ directory, binaries, account, password: options.password, temporary })
  else await refuseOtherVersion(cluster, binaries.version)
  if (await stopLeftoverPostmaster(cluster)) {
    options.log.warn('stopped the PostgreSQL that a killed predecessor left running')
  }
  const server = await startOnFreePort({ directory, cluster, account, temporary, program: binaries.postgres })
  try {
    await makeDatabase(server.port, options.password, directory)
    await pruneLogs(cluster)
  } catch (error) {
    await stopPostmaster(server.pid, cluster)
    throw error
  }
  return supervise(server, cluster, options)
}

type Server = { child: ChildProcess; pid: number; port: number; exited: Promise<void> }

type Launch = { directory: string; cluster: string; account: SystemUser; temporary: boolean; program: string }

async function refuseOtherVersion(cluster: string, version: string): Promise<void> {
  const path = join(cluster, 'PG_VERSION')
  const made = (await readFile(path, 'utf8').catch(() => '')).trim()
  const major = version.split('.')[0]
  if (made === major) return
  if (made === '')
    throw new Error(
      `The directory ${cluster} is not empty, but it holds no readable PG_VERSION: no database is made over it.`,
    )
  throw new Error(
    `The database in ${cluster} was made by PostgreSQL ${made}, and this Keyward brings PostgreSQL ${major}, which cannot open it. ` +
      `The way across: start the Keyward that made it, and export the database keyward with pg_dump ${made} (127.0.0.1, the port in postmaster.pid, user keyward, the password in secrets/DATABASE_PASSWORD). ` +
      `Import that into a PostgreSQL of your own, and start this Keyward with DATABASE_URL and the same secrets.`,
  )
}

async function startOnFreePort(launch: Launch): Promise<Server> {
  const giveUp = performance.now() + 10_000
  for (;;) {
    try {
      return await start(launch, await freePort())
    } catch (error) {
      // Someone else took the port meanwhile, or processes of a killed server are still about to end.
      const passing = /Address already in use|shared memory block/.test(String(error))
      if (!passing || performance.now() > giveUp) throw error
      await sleep(100)
    }
  }
}

async function start(launch: Launch, port: number): Promise<Server> {
  const { cluster, account } = launch
  // Once its own log is open, the server writes there: this file only gets what comes before.
  const output = await open(startLog(launch.directory), 'w', 0o600)
  const settings = Object.entries({ ...serverSettings(launch.temporary), port: String(port) })
  const child = spawn(
    launch.program,
    // The user of the database can't walk to a directory that root alone can enter, but it can be put into it.
    [
      '-D',
      account ? '/proc/self/cwd' : cluster,
      ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    {
      cwd: cluster,
      env: postgresEnvironment(),
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
      ...account,
    },
  )
  child.unref()
  let ended = false
  const exited = new Promise<void>((resolve) => {
    for (const event of ['exit', 'error'] as const) child.once(event, () => resolve())
  }).then(() => {
    ended = true
  })
  while (!ended) {
    const found = await readPostmaster(cluster)
    if (found && found.pid === child.pid && found.ready) {
      await output.close()
      return { child, pid: found.pid, port, exited }
    }
    await sleep(10)
  }
  await output.close()
  throw new Error(await postgresFailure(launch.directory))
}

/** The role of the application owns its database and nothing else, as with an external server. */
async function makeDatabase(port: number, password: string, directory: string): Promise<void> {
  const admin = openDatabase(
    { ...loopback(port, password), username: 'postgres', database: 'postgres' },
    // A database is made as fast as the disk lets it.
    { max: 1, deadlines: null },
  )
  try {
    const [role] = await admin`SELECT 1 FROM pg_roles WHERE rolname = 'keyward'`
    if (!role) {
      const [create] =
        await admin`SELECT format('CREATE ROLE keyward LOGIN PASSWORD %L', ${password}::text) AS sql`
      await admin.unsafe(create?.sql)
    }
    const [database] = await admin`SELECT 1 FROM pg_database WHERE datname = 'keyward'`
    if (!database) await admin`CREATE DATABASE keyward OWNER keyward`
  } catch (error) {
    if ((error as { code?: unknown }).code !== '28P01') throw error
    throw new Error(
      `The database in ${clusterDirectory(directory)} does not accept DATABASE_PASSWORD: put back from your backup the secret that belongs to it.`,
    )
  } finally {
    await admin.end({ timeout: 1 })
  }
}

function supervise(server: Server, cluster: string, options: EmbeddedPostgresOptions): EmbeddedPostgres {
  let stopping: Promise<void> | undefined
  const pruning = setInterval(() => void pruneLogs(cluster), 60_000)
  pruning.unref()
  void server.exited.then(() => {
    clearInterval(pruning)
    const { exitCode, signalCode } = server.child
    if (!stopping) options.log.error({ exitCode, signalCode }, 'PostgreSQL ended by itself')
  })
  return {
    config: loopback(server.port, options.password),
    exited: server.exited,
    stop: () => {
      stopping ??= stopPostmaster(server.pid, cluster)
      return stopping
    },
  }
}

function loopback(port: number, password: string): DatabaseConfig {
  return {
    host: '127.0.0.1',
    port,
    database: 'keyward',
    username: 'keyward',
    password,
    ssl: 'disable',
    sslCa: null,
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
