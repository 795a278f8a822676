import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { findPostgresBinaries, postgresAccount } from './binaries.ts'
import { initialiseCluster } from './cluster.ts'
import { clusterDirectory, isEmpty } from './data-directory.ts'
import { type DatabaseConfig, openDatabase } from './database.ts'
import { stopLeftoverPostmaster, stopPostmaster } from './postmaster.ts'
import { type Server, startOnFreePort } from './server.ts'
import { pruneLogs, serverSettings } from './settings.ts'

/** A running server. `exited` resolves when it has ended, be it by `stop` or unexpectedly. */
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
 * Starts the PostgreSQL server of a data directory, which must be locked, on a free port of 127.0.0.1, and makes its
 * cluster, its role and its database where they are missing. It runs in its own session, so that Ctrl-C reaches only
 * Keyward and the server runs until `stop`. The server of an earlier Keyward that was killed is stopped first.
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
    options.log.warn('Stopped the PostgreSQL of an earlier Keyward that was killed')
  }
  const settings = serverSettings(temporary)
  const server = await startOnFreePort({ program: binaries.postgres, account, directory, settings })
  try {
    await makeDatabase(server.port, options.password, directory)
    await pruneLogs(cluster)
  } catch (error) {
    await stopPostmaster(server.pid, cluster)
    throw error
  }
  return supervise(server, cluster, options)
}

async function refuseOtherVersion(cluster: string, version: string): Promise<void> {
  const path = join(cluster, 'PG_VERSION')
  const made = (await readFile(path, 'utf8').catch(() => '')).trim()
  const major = version.split('.')[0]
  if (made === major) return
  if (made === '')
    throw new Error(
      `The directory ${cluster} is not empty, but it holds no readable PG_VERSION: not creating a database there.`,
    )
  throw new Error(
    `The database in ${cluster} was made by PostgreSQL ${made}, and this Keyward brings PostgreSQL ${major}, which can't open it. ` +
      `To move the data: start the Keyward that made it, and export the database keyward with pg_dump ${made} (127.0.0.1, the port in postmaster.pid, user keyward, the password in secrets/DATABASE_PASSWORD). ` +
      `Import that into a PostgreSQL of your own, and start this Keyward with DATABASE_URL and the same secrets.`,
  )
}

/** The role of the application owns its database and nothing else, as with an external server. */
async function makeDatabase(port: number, password: string, directory: string): Promise<void> {
  const admin = openDatabase(
    { ...loopback(port, password), username: 'postgres', database: 'postgres' },
    // How long it takes to create a database depends on the disk.
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
    if (!stopping) options.log.error({ exitCode, signalCode }, 'PostgreSQL stopped unexpectedly')
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

/** How Keyward connects to the embedded server on a port. */
export function loopback(port: number, password: string): DatabaseConfig {
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
