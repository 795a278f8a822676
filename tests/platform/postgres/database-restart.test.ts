import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../../src/platform/log.ts'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/postgres/embedded.ts'
import { isUnavailable } from '../../../src/platform/postgres/outages.ts'
import { eventually } from '../../support/eventually.ts'

let directory: string
let server: EmbeddedPostgres
let front: Server
let db: Database
const sockets = new Set<Socket>()
const uncaught: unknown[] = []
const note = (error: unknown) => uncaught.push(error)

beforeAll(async () => {
  process.on('uncaughtException', note).on('unhandledRejection', note)
  directory = await mkdtemp(join(tmpdir(), 'keyward-restart-'))
  await start()
  // Every start takes another port: the front keeps one, as the address of an external database stays.
  front = createServer(forward)
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const address = front.address()
  const port = typeof address === 'object' && address ? address.port : 0
  db = openDatabase({ ...server.config, port }, { max: 5 })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  front.close()
  await server.stop()
  await rm(directory, { recursive: true, force: true })
  process.off('uncaughtException', note).off('unhandledRejection', note)
})

async function start() {
  server = await startEmbeddedPostgres({
    directory,
    password: 'secret',
    log: createLog('silent'),
    temporary: true,
  })
}

async function restart() {
  await server.stop()
  await Bun.sleep(100)
  await start()
}

function forward(client: Socket) {
  const target = dial(server.config.port, '127.0.0.1')
  for (const [one, other] of [
    [client, target],
    [target, client],
  ] as const) {
    sockets.add(one)
    one.pipe(other)
    one.on('error', () => other.destroy())
    one.on('close', () => sockets.delete(one) && other.destroy())
  }
}

/** Rejects with a sentence instead of waiting for ever. */
function settled<T>(promise: PromiseLike<T>, what: string): Promise<T> {
  return Promise.race([
    promise,
    Bun.sleep(20_000).then(() => {
      throw new Error(`${what} hangs`)
    }),
  ])
}

/** Sends statements on 30 loops, each the next when the one before is answered, until `stop`. */
function startStatements(statement: (n: number) => PromiseLike<unknown>) {
  const faults: unknown[] = []
  let succeeded = 0
  let isStopping = false
  const loops = Array.from({ length: 30 }, async (_, loop) => {
    for (let n = 0; !isStopping; n++) {
      try {
        await settled(statement(loop * 1000 + n), 'a statement')
        succeeded++
      } catch (error) {
        if (!isUnavailable(error)) faults.push(error)
        await Bun.sleep(5)
      }
    }
  })
  return {
    faults,
    succeed: (more: number) => {
      const wanted = succeeded + more
      return eventually(`${more} more statements succeed`, () => succeeded >= wanted, 20)
    },
    stop: async () => {
      isStopping = true
      await Promise.all(loops)
    },
  }
}

test('a database that restarts under load costs errors for a moment, and nothing else', async () => {
  const load = startStatements((n) => {
    if (n % 3 === 0) return db.begin(async (tx) => [await tx`SELECT ${n}::int`, await tx`SELECT 1`])
    if (n % 3 === 1) return db`SELECT repeat('x', ${n % 5000}::int), n FROM generate_series(1, 50) AS n`
    return db`SELECT ${'x'.repeat(n % 3000)}::text`
  })
  for (let round = 0; round < 4; round++) {
    await load.succeed(100)
    await restart()
  }
  await load.succeed(100)
  await load.stop()
  expect(uncaught).toEqual([])
  expect(load.faults).toEqual([])
  const rows = await settled(
    Promise.all(Array.from({ length: 20 }, (_, n) => db`SELECT ${n}::int AS n, pg_sleep(0.01)`)),
    'the pool',
  )
  expect(rows.map(([row]) => row?.n)).toEqual(Array.from({ length: 20 }, (_, n) => n))
}, 120_000)

test('a transaction that lost its connection writes nothing more, not even on the next connection', async () => {
  await db`CREATE TABLE IF NOT EXISTS written (step int)`
  let finished: Promise<unknown> | undefined
  const outcome = db.begin(async (tx) => {
    await tx`INSERT INTO written VALUES (1)`
    await restart()
    // The pool has connected anew meanwhile, for everybody.
    await Promise.all(Array.from({ length: 10 }, () => db`SELECT pg_sleep(0.02)`.catch(() => null)))
    await db`SELECT 1`
    finished = tx`INSERT INTO written VALUES (2)`.execute().catch((error) => error)
    await finished
  })
  await expect(settled(outcome, 'the transaction')).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  while (!finished) await Bun.sleep(10)
  expect(await settled(finished, 'the statement')).toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(await db`SELECT step FROM written`).toHaveLength(0)
})

test('a reserved connection that was lost fails, is not handed to anybody, and takes nothing from the pool', async () => {
  const lost = await Promise.all(Array.from({ length: 5 }, () => db.reserve()))
  const waiting = lost.map((connection) => connection`SELECT pg_sleep(60)`.execute().catch((error) => error))
  const queued = lost.map((connection) => connection`SELECT ${1}::int`.execute().catch((error) => error))
  await Bun.sleep(100)
  await restart()
  for (const error of await settled(Promise.all([...waiting, ...queued]), 'a reserved connection')) {
    expect(isUnavailable(error)).toBe(true)
  }
  await db`SELECT 1`.catch(() => null)
  for (const connection of lost) {
    await expect(settled(connection`SELECT 1`, 'a lost connection')).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
    })
    connection.release()
  }
  const again = await settled(Promise.all(Array.from({ length: 5 }, () => db.reserve())), 'the pool')
  for (const connection of again) {
    expect(await settled(connection`SELECT 1 AS one`, 'a reserved connection')).toMatchObject([{ one: 1 }])
    connection.release()
  }
})
