/**
 * A temporary Postgres server as a separate process. Prints its URL once it takes connections, and stops and deletes
 * itself when its standard input closes: so it ends with its owner, however that one ends (Ctrl-C, a crash, SIGKILL).
 */
import { createPostgres } from './postgres.ts'

try {
  const server = await createPostgres({ autovacuum: 'off', max_connections: '200' })
  await server.start().catch(async (error) => {
    await server.remove()
    throw error
  })
  const { username, password, port } = server.config
  console.log(`postgres://${username}:${password}@127.0.0.1:${port}/postgres`)
  await new Promise((resolve) => process.stdin.on('end', resolve).resume())
  await server.remove()
  process.exit(0)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
