import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { type Database, type DatabaseConfig, openDatabase } from '../../../src/platform/postgres/database.ts'
import { isUnavailable } from '../../../src/platform/postgres/outages.ts'
import { type TestDatabase, testDatabase } from '../../support/database.ts'

/** What the front does to a connection that is about to send its first statement: the driver's own. */
type Fate = 'pass' | 'close' | 'reset'

let database: TestDatabase
let front: Server
let config: DatabaseConfig
let db: Database
let fate: (nth: number) => Fate
let connections: number
const uncaught: unknown[] = []
const note = (error: unknown) => uncaught.push(error)

beforeAll(async () => {
  process.on('uncaughtException', note).on('unhandledRejection', note)
  database = await testDatabase()
  front = createServer(forward)
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const address = front.address()
  config = { ...database.config, port: typeof address === 'object' && address ? address.port : 0 }
})
beforeEach(() => {
  connections = 0
  uncaught.length = 0
  fate = () => 'pass'
  db = openDatabase(config, { max: 4 })
})
afterEach(async () => {
  await db.end({ timeout: 1 })
  await Bun.sleep(10)
  expect(uncaught).toEqual([])
})
afterAll(async () => {
  front.close()
  await database.drop()
  process.off('uncaughtException', note).off('unhandledRejection', note)
})

function forward(client: Socket) {
  const target = dial(database.config.port, database.config.host)
  const nth = ++connections
  client.on('data', (bytes) => {
    const chosen = bytes.includes('pg_catalog.pg_type') ? fate(nth) : 'pass'
    if (chosen === 'close') client.end()
    else if (chosen === 'reset') client.resetAndDestroy()
    else target.write(bytes)
  })
  target.pipe(client)
  client.on('error', () => target.destroy()).on('close', () => target.destroy())
  target.on('error', () => client.destroy()).on('close', () => client.destroy())
}

/** The outcome, or its error; rejects with a sentence instead of waiting for ever. */
function settled<T>(promise: PromiseLike<T>): Promise<T | Error> {
  return Promise.race([
    Promise.resolve(promise).catch((error: Error) => error),
    Bun.sleep(8000).then(() => {
      throw new Error('it hangs')
    }),
  ])
}

async function transaction() {
  const [row] = await db.begin((tx) => tx<{ one: number }[]>`select 1 as one`)
  return row?.one
}

async function statement() {
  const [row] = await db<{ one: number }[]>`select 1 as one`
  return row?.one
}

async function reservation() {
  const connection = await db.reserve()
  const [row] = await connection<{ one: number }[]>`select 1 as one`
  connection.release()
  return row?.one
}

const askers = [
  ['a statement', statement],
  ['a transaction', transaction],
  ['a reservation', reservation],
] as const

test.each(askers)(
  '%s whose connection closes while it is being made is served by the next',
  async (_, ask) => {
    fate = (nth) => (nth <= 2 ? 'close' : 'pass')
    expect(await settled(ask())).toBe(1)
    expect(connections).toBe(3)
    // Nothing of the pool is lost either.
    expect(await settled(Promise.all(Array.from({ length: 12 }, ask)))).toEqual(Array(12).fill(1))
  },
)

test.each(askers)(
  '%s whose connection is reset while it is being made fails, or is served',
  async (_, ask) => {
    fate = (nth) => (nth <= 2 ? 'reset' : 'pass')
    const outcome = await settled(ask())
    expect(outcome === 1 || isUnavailable(outcome)).toBe(true)
    fate = () => 'pass'
    expect(await settled(Promise.all(Array.from({ length: 12 }, ask)))).toEqual(Array(12).fill(1))
  },
)

test.each(askers)('%s fails when every connection closes while it is being made', async (_, ask) => {
  fate = () => 'close'
  expect(await settled(ask())).toMatchObject({ code: 'CONNECTION_CLOSED' })
  fate = () => 'pass'
  expect(await settled(Promise.all(Array.from({ length: 12 }, ask)))).toEqual(Array(12).fill(1))
})

test('arrays are lists on every connection, also after the first statements of some were lost', async () => {
  fate = (nth) => (nth % 2 === 1 ? 'close' : 'pass')
  const rows = await settled(
    Promise.all(Array.from({ length: 8 }, () => db`select array['a', 'b'] as list, pg_sleep(0.02)`)),
  )
  expect(rows).toMatchObject(Array(8).fill([{ list: ['a', 'b'] }]))
})

test('backends that are ended right after connecting cost errors for a moment, and nothing else', async () => {
  const faults: unknown[] = []
  let done = false
  const ended = (async () => {
    while (!done) {
      await database.db`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
      await Bun.sleep(2)
    }
  })()
  const until = performance.now() + 3000
  await Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      while (performance.now() < until) {
        const outcome = await settled(askers[worker % 3]?.[1]() ?? statement())
        if (outcome !== 1 && !isUnavailable(outcome)) faults.push(outcome)
        await Bun.sleep(1)
      }
    }),
  )
  done = true
  await ended
  expect(faults).toEqual([])
  expect(connections).toBeGreaterThan(20)
  await Bun.sleep(50)
  const all = Array.from({ length: 12 }, () => statement())
  expect(await settled(Promise.all(all))).toEqual(Array(12).fill(1))
}, 60_000)
