/**
 * A process that uses a data directory as `serve` does, for tests that kill it or race it: opens it, starts its
 * database if asked to, prints one line of JSON and lives until its standard input closes.
 * Arguments: the directory, `lock` or `serve`, and a user id to become first.
 */

import { createLog } from '../../src/platform/log.ts'
import { openDataDirectory } from '../../src/platform/postgres/data-directory.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/postgres/embedded.ts'

const [path = '', mode, user] = process.argv.slice(2)
let server: EmbeddedPostgres | undefined

try {
  if (user) {
    process.setgid?.(Number(user))
    process.setuid?.(Number(user))
  }
  const directory = await openDataDirectory(path)
  console.log(JSON.stringify(mode === 'serve' ? await serve(directory.path, directory.secrets) : {}))
} catch (error) {
  console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
  process.exit(1)
}
await new Promise((resolve) => process.stdin.on('end', resolve).resume())
await server?.stop()
process.exit(0)

async function serve(directory: string, secrets: { DATABASE_PASSWORD: string }) {
  const log = createLog('silent')
  server = await startEmbeddedPostgres({ directory, password: secrets.DATABASE_PASSWORD, log })
  const db = openDatabase(server.config, { max: 1 })
  const [row] = await db`
    SELECT getdatabaseencoding() AS encoding, lower('É') AS lower, length('É') AS length, pg_backend_pid() AS backend`
  await db.end({ timeout: 1 })
  return { ...row, port: server.config.port }
}
