import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { isUnavailable } from '../../../src/platform/postgres/outages.ts'
import { type TestDatabase, testDatabase } from '../../support/database.ts'
import { eventually } from '../../support/eventually.ts'

const MAX = 10
const MOMENTS = [
  'during the startup',
  'during the fetch of types',
  'in the middle of an answer',
  'between two answers',
] as const
type Moment = (typeof MOMENTS)[number]

let database: TestDatabase
let front: Server
let db: Database
let cuts: (moment: Moment) => boolean
let cut: (client: Socket) => unknown
let count = 0
const uncaught: unknown[] = []
const note = (error: unknown) => uncaught.push(error)

beforeAll(async () => {
  process.on('uncaughtException', note).on('unhandledRejection', note)
  database = await testDatabase()
  await database.aside`create table notes (id int)`
  front = createServer(forward)
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
})
beforeEach(() => {
  cuts = () => false
  cut = reset
  count = 0
  db = open({ max: MAX })
})
afterEach(async () => {
  await db.end({ timeout: 1 })
  await Bun.sleep(10)
  expect(uncaught.splice(0)).toEqual([])
})
afterAll(async () => {
  front.close()
  await database.drop()
  process.off('uncaughtException', note).off('unhandledRejection', note)
})

function open(options: { max: number }) {
  const address = front.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const deadlines = { statementMilliseconds: 2000, transactionMilliseconds: 3000 }
  return openDatabase({ ...database.config, port }, { ...options, deadlines })
}

const reset = (client: Socket) => client.resetAndDestroy()
const close = (client: Socket) => client.end()

/** Stands in front of the server, and cuts connections off at the moments that the test chooses. */
function forward(client: Socket) {
  const target = dial(database.config.port, database.config.host)
  let sent = 0
  let isCut = false
  const cutsAt = (moment: Moment) => {
    if (!cuts(moment)) return false
    count++
    isCut = true
    return true
  }
  client.on('data', (bytes) => {
    if (isCut) return
    const isFetch = bytes.includes('pg_catalog.pg_type')
    if (sent++ === 0 && cutsAt('during the startup')) cut(client)
    else if (isFetch && cutsAt('during the fetch of types')) cut(client)
    else target.write(bytes)
  })
  target.on('data', (bytes: Buffer) => {
    // What follows half an answer would be read as its other half.
    if (isCut) return
    if (sent > 2 && cutsAt('in the middle of an answer')) {
      client.write(bytes.subarray(0, bytes.length / 2))
      setTimeout(cut, 1, client)
      return
    }
    client.write(bytes)
    if (sent > 2 && cutsAt('between two answers')) setTimeout(cut, 1, client)
  })
  client.on('error', () => target.destroy()).on('close', () => target.destroy())
  target.on('error', () => client.destroy()).on('close', () => client.destroy())
}

const statement = async (n: number) =>
  (await db<{ n: number }[]>`select ${n}::int as n, repeat('x', ${n % 20_000}::int)`)[0]?.n

const transaction = (n: number) =>
  db.begin(async (tx) => {
    await tx`insert into notes values (${n})`
    const [row] = await tx<{ n: number }[]>`select ${n}::int as n, repeat('x', 5000)`
    return row?.n
  })

async function reservation(n: number) {
  const connection = await db.reserve()
  try {
    return (await connection<{ n: number }[]>`select ${n}::int as n, repeat('x', 5000)`)[0]?.n
  } finally {
    connection.release()
  }
}

/** Every slot of the pool serves, again and again, and no session is left over. */
async function expectAllSlotsToServe() {
  // A slot that was lost pauses for up to a second before it connects anew.
  await eventually('every slot serves', async () => (await serving()) === MAX, 4)
  for (let round = 0; round < 2; round++) {
    const start = performance.now()
    expect(await serving()).toBe(MAX)
    expect(performance.now() - start).toBeLessThan(1500)
  }
  await eventually('no session is left over', async () => (await sessions()) <= MAX)
}

/** How many of the slots serve at the same time. */
async function serving() {
  const sleep = () => db<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(0.2)`
  const answers = await Promise.all(Array.from({ length: MAX }, sleep))
  return new Set(answers.map(([row]) => row?.pid)).size
}

const sessions = async () =>
  (
    await database.aside`
      select 1 from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
  ).length

const ways = [
  ['reset', () => reset],
  ['closed', () => close],
  ['reset or closed', () => (client: Socket) => (Math.random() < 0.5 ? reset(client) : close(client))],
] as const

test.each(ways.slice(0, 2).flatMap(([way, how]) => MOMENTS.map((moment) => [way, moment, how] as const)))(
  'connections that are %s %s, one after the other, cost the pool no slot',
  async (_, moment, how) => {
    cut = how()
    const isMade = moment === 'in the middle of an answer' || moment === 'between two answers'
    if (isMade) await serving()
    for (let n = 0; n < MAX; n++) {
      const before = count
      cuts = (at) => at === moment && count === before
      const ask = [transaction, statement, reservation][n % 3] ?? statement
      const outcome = await ask(n).catch((error: unknown) => error)
      expect(outcome === n || isUnavailable(outcome)).toBe(true)
    }
    cuts = () => false
    expect(count).toBeGreaterThan(0)
    await Bun.sleep(50)
    await expectAllSlotsToServe()
  },
)

test.each(ways)(
  'connections that are %s at any moment, in bursts and under load, cost errors for a moment, and nothing else',
  async (_, how) => {
    cut = how()
    const faults: unknown[] = []
    let isDone = false
    const load = Promise.all(
      Array.from({ length: 24 }, async (_, worker) => {
        const ask = [transaction, statement, statement, reservation][worker % 4] ?? statement
        for (let n = worker * 100_000; !isDone; n++) {
          const outcome = await ask(n).catch((error: unknown) => error)
          if (outcome !== n && !isUnavailable(outcome)) faults.push(outcome)
          // An answer that never came is no matter of the moment.
          if ((outcome as { code?: unknown }).code === 'DEADLINE_PASSED') faults.push(outcome)
          await Bun.sleep(2)
        }
      }),
    )
    for (let burst = 0; burst < 12; burst++) {
      cuts = () => Math.random() < 0.05
      await Bun.sleep(150)
      cuts = () => false
      await Bun.sleep(100)
    }
    isDone = true
    await load
    expect(count).toBeGreaterThan(10)
    expect(faults).toEqual([])
    await expectAllSlotsToServe()
  },
  60_000,
)

test('a transaction that goes on after its connection was reset costs the pool no slot', async () => {
  await serving()
  for (let n = 0; n < MAX; n++) {
    const outcomes: unknown[] = []
    const start = performance.now()
    const outcome = await db
      .begin(async (tx) => {
        await tx`select ${n}::int`
        cuts = (moment) => moment === 'in the middle of an answer'
        outcomes.push(await tx`select repeat('x', 5000)`.catch((error: unknown) => error))
        // Between the socket's error and its close.
        outcomes.push(await tx`select 1`.catch((error: unknown) => error))
      })
      .catch((error: unknown) => error)
    cuts = () => false
    for (const one of [outcome, ...outcomes]) expect(isUnavailable(one)).toBe(true)
    expect(performance.now() - start).toBeLessThan(1000)
  }
  await expectAllSlotsToServe()
})

test('a statement that cannot be written costs neither the one before it nor its connection anything', async () => {
  const single = open({ max: 1 })
  await single`select 1`
  const before = single`select 1 as one, pg_sleep(0.2)`.execute()
  const wrong = single`select ${undefined as unknown as string}`.catch((error: unknown) => error)
  const after = single`select 2 as two`
  expect(await before).toMatchObject([{ one: 1 }])
  expect(await wrong).toMatchObject({ code: 'UNDEFINED_VALUE' })
  expect(await after).toMatchObject([{ two: 2 }])
  await single.end({ timeout: 1 })
})

test('a pool that is closed while a connection is lost ends, and leaves no session', async () => {
  const single = open({ max: 1 })
  await single`select 1`
  const running = single.begin((tx) => tx`select pg_sleep(0.3)`).catch((error: unknown) => error)
  await Bun.sleep(50)
  const waiting = single`select 2 as two`.catch((error: unknown) => error)
  await Bun.sleep(50)
  cuts = (moment) => moment === 'in the middle of an answer' && count === 0
  const end = single.end()
  await Promise.race([
    end,
    Bun.sleep(3000).then(() => {
      throw new Error('it hangs')
    }),
  ])
  expect(isUnavailable(await running)).toBe(true)
  const outcome = await waiting
  expect(isUnavailable(outcome) || (outcome as { two: number }[])[0]?.two === 2).toBe(true)
  await eventually('no session is left over', async () => (await sessions()) === 0, 3)
})
