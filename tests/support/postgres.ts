import { randomBytes } from 'node:crypto'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgresBinaries, postgresAccount } from '../../src/platform/postgres/binaries.ts'
import { initialiseCluster } from '../../src/platform/postgres/cluster.ts'
import { clusterDirectory } from '../../src/platform/postgres/data-directory.ts'
import type { DatabaseConfig } from '../../src/platform/postgres/database.ts'
import { stopPostmaster } from '../../src/platform/postgres/postmaster.ts'
import { type Server, startServer } from '../../src/platform/postgres/server.ts'
import { freePort } from './free-port.ts'

/** A Postgres server in a temporary directory, always on the same port. */
export type TestPostgres = {
  /** Its superuser. */
  config: DatabaseConfig
  /** The directory of its data. */
  cluster: string
  /** The process id, while it runs. */
  pid(): number | undefined
  start(): Promise<void>
  /** A fast shutdown: every connection is ended. */
  stop(): Promise<void>
  /** Stops it and deletes its data. */
  remove(): Promise<void>
}

/** Creates its cluster, which takes about a second, and does not start it yet. Runs as another user for root. */
export async function createPostgres(settings: Readonly<Record<string, string>>): Promise<TestPostgres> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'keyward-test-')))
  const remove = () => rm(directory, { recursive: true, force: true })
  const cluster = clusterDirectory(directory)
  const password = randomBytes(16).toString('hex')
  const account = await postgresAccount(null)
  const binaries = await findPostgresBinaries(account)
  await initialiseCluster({ directory, binaries, account, password, temporary: true }).catch(
    async (error) => {
      await remove()
      throw error
    },
  )
  const launch = { program: binaries.postgres, account, directory, settings: { ...SETTINGS, ...settings } }
  const port = freePort()
  let server: Server | undefined
  const stop = async () => {
    if (server !== undefined) await stopPostmaster(server.pid, cluster)
    server = undefined
  }
  return {
    config: {
      host: '127.0.0.1',
      port,
      database: 'postgres',
      username: 'postgres',
      password,
      ssl: 'disable',
      sslCa: null,
    },
    cluster,
    pid: () => server?.pid,
    start: async () => {
      server = await startServer(launch, port)
    },
    stop,
    remove: async () => {
      await stop()
      await remove()
    },
  }
}

const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
}
