import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { createMetrics } from '../../../src/platform/metrics.ts'
import {
  createStateVersions,
  openForStateVersions,
  type StateVersions,
} from '../../../src/platform/postgres/state-version.ts'
import { type TestDatabase, testDatabase } from '../../support/database.ts'

const DEADLINES = { statementMilliseconds: 5000, transactionMilliseconds: 10_000 }
let database: TestDatabase
let front: Server
let versions: StateVersions
let connections: number
/** Whether what a connection sends is swallowed, as by a machine that is gone. */
let isSilent: (nth: number) => boolean

beforeAll(async () => {
  database = await testDatabase()
  front = createServer(forward)
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
})
beforeEach(() => {
  connections = 0
  isSilent = () => false
  const address = front.address()
  const port = typeof address === 'object' && address ? address.port : 0
  versions = createStateVersions(
    openForStateVersions({ ...database.config, port }, DEADLINES),
    createMetrics(),
  )
})
afterEach(() => versions.end())
afterAll(async () => {
  front.close()
  await database.drop()
})

function forward(client: Socket) {
  const target = dial(database.config.port, database.config.host)
  const nth = ++connections
  client.on('data', (bytes) => isSilent(nth) || target.write(bytes))
  target.pipe(client)
  client.on('error', () => target.destroy()).on('close', () => target.destroy())
  target.on('error', () => client.destroy()).on('close', () => client.destroy())
}

async function millisecondsToConfirm() {
  const start = performance.now()
  await versions.confirm()
  return performance.now() - start
}

test('one connection is used while the database answers', async () => {
  for (let n = 0; n < 20; n++) await Promise.all([versions.confirm(), versions.confirm()])
  expect(connections).toBe(1)
})

test('a connection that falls silent holds nobody up for the time of a statement', async () => {
  await versions.confirm()
  isSilent = (nth) => nth === 1
  expect(await millisecondsToConfirm()).toBeLessThan(2500)
})

test('connections that were begun while the database was away hold nobody up when it is back', async () => {
  await versions.confirm()
  isSilent = () => true
  const lost = versions.confirm().then(
    () => 'confirmed',
    () => 'refused',
  )
  await Bun.sleep(1800)
  const begun = connections
  isSilent = (nth) => nth <= begun
  expect(await millisecondsToConfirm()).toBeLessThan(2500)
  await lost
}, 60_000)
