import { afterAll, beforeAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { type TestDatabase, testDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'

let database: TestDatabase
let path: Server
let stopped: Database
const sockets = new Set<Socket>()

beforeAll(async () => {
  database = await testDatabase()
  path = createServer(stopAt('update counters'))
  await once(path.listen(0, '127.0.0.1'), 'listening')
  const { port } = path.address() as AddressInfo
  stopped = openDatabase({ ...database.config, host: '127.0.0.1', port }, { max: 1, deadlines: null })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await stopped.end({ timeout: 1 })
  path.close()
  await database.drop()
})

/** Carries bytes to the database and back until a statement is sent: its answer never arrives. */
function stopAt(statement: string) {
  return (client: Socket) => {
    const server = connect(database.config.port, database.config.host)
    let isStopped = false
    sockets.add(client).add(server)
    client.on('data', (bytes) => {
      isStopped ||= bytes.includes(statement)
      server.write(bytes)
    })
    server.on('data', (bytes) => isStopped || client.write(bytes))
    for (const socket of [client, server]) socket.on('error', () => {})
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
  }
}

test('a process that stops while it prepares a statement holds its locks until its session has been idle for a while', async () => {
  const { db } = database
  await db`create table counters (id int, value int)`
  await db`insert into counters values (1, 0)`
  const change = stopped.begin(async (tx) => {
    await tx`select set_config('idle_in_transaction_session_timeout', '500', true)`
    await tx`select 1 from counters where id = ${1} for update`
    await tx`update counters set value = ${7} where id = ${1}`
  })
  const outcome = change.then(() => 'changed').catch(() => 'lost')
  const locks = async () => await db`select 1 from pg_locks where relation = 'counters'::regclass`
  await eventually('the row is locked', async () => (await locks()).length > 0)
  await eventually('the lock is gone', async () => (await locks()).length === 0)
  expect(await outcome).toBe('lost')
  expect([...(await db`select value from counters`)]).toEqual([{ value: 0 }])
})
