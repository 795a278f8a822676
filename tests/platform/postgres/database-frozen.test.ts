import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Database, type DatabaseConfig, openDatabase } from '../../../src/platform/postgres/database.ts'
import { DeadlinePassed, isUnavailable, OutcomeUnknown } from '../../../src/platform/postgres/outages.ts'
import { eventually } from '../../support/eventually.ts'
import { type RestartablePostgres, startRestartablePostgres } from '../../support/restartable-postgres.ts'

const STATEMENT = 700
const TRANSACTION = 1400
// How much later than its deadline an answer may come.
const SLACK = 1000

let server: RestartablePostgres
let db: Database
let admin: Database
const uncaught: unknown[] = []
const note = (error: unknown) => uncaught.push(error)

beforeAll(async () => {
  process.on('uncaughtException', note).on('unhandledRejection', note)
  server = await startRestartablePostgres()
  admin = openDatabase(server.config, { max: 1, deadlines: null })
  await admin`create table notes (id int)`
})
beforeEach(() => {
  db = open()
})
afterEach(async () => {
  await server.thaw()
  await db.end({ timeout: 1 })
  await admin`truncate notes`
  expect(uncaught).toEqual([])
})
afterAll(async () => {
  await admin.end({ timeout: 1 })
  await server.remove()
  process.off('uncaughtException', note).off('unhandledRejection', note)
})

const open = (config: Partial<DatabaseConfig> = {}) =>
  openDatabase(
    { ...server.config, ...config },
    { max: 4, deadlines: { statementMilliseconds: STATEMENT, transactionMilliseconds: TRANSACTION } },
  )

async function timed<T>(work: () => PromiseLike<T>) {
  const start = performance.now()
  const outcome = await Promise.resolve(work()).catch((error: unknown) => error)
  return { outcome, milliseconds: performance.now() - start }
}

const read = async (n: number) => (await db<{ n: number }[]>`select ${n}::int as n`)[0]?.n
const change = async (n: number) =>
  await db.begin(async (tx) => {
    await tx`insert into notes values (${n})`
    return (await tx<{ n: number }[]>`select ${n}::int as n`)[0]?.n
  })

const connections = async () =>
  (
    await admin`select 1 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`
  ).length

test.each([
  ['disable', 'over plain connections'],
  ['require', 'over TLS'],
] as const)(
  'sslmode %s: a server that freezes under a load costs what is asked its deadline, and nothing else (%s)',
  async (ssl) => {
    await db.end({ timeout: 1 })
    db = open({ ssl })
    let done = false
    const wrong: unknown[] = []
    let served = 0
    let refused = 0
    const load = Promise.all(
      Array.from({ length: 24 }, async (_, worker) => {
        for (let n = worker * 100_000; !done; n++) {
          const [ask, limit] = worker % 2 ? ([read, STATEMENT] as const) : ([change, TRANSACTION] as const)
          const { outcome, milliseconds } = await timed(() => ask(n))
          if (outcome === n) served++
          else if (isUnavailable(outcome)) refused++
          else wrong.push(outcome)
          if (milliseconds > limit + SLACK) wrong.push(`${ask.name} took ${milliseconds} ms`)
          await Bun.sleep(2)
        }
      }),
    )
    await eventually('it serves', () => served > 50)
    // Sessions of the test before may still be ending.
    await eventually(`its sessions have sslmode ${ssl}`, async () => {
      const sessions = await admin`select ssl from pg_stat_ssl where pid <> pg_backend_pid() and pid in (
        select pid from pg_stat_activity where backend_type = 'client backend')`
      return sessions.every((session) => session.ssl === (ssl === 'require'))
    })
    for (let round = 0; round < 2; round++) {
      await server.freeze()
      await Bun.sleep(TRANSACTION * 2)
      expect(refused).toBeGreaterThan(20)
      const before = served
      await server.thaw()
      await eventually('it serves again', () => served > before + 100, 4)
    }
    done = true
    await load
    expect(wrong).toEqual([])
    await eventually('no session is left over', async () => (await connections()) <= 4, 4)
  },
  60_000,
)

test('who waits for a connection waits no longer, also when every connection is still being made', async () => {
  await server.freeze()
  const outcomes = await Promise.all([
    ...Array.from({ length: 20 }, (_, n) => timed(() => read(n))),
    ...Array.from({ length: 20 }, (_, n) => timed(() => change(n))),
  ])
  for (const [n, { outcome, milliseconds }] of outcomes.entries()) {
    expect(outcome).toBeInstanceOf(DeadlinePassed)
    expect(milliseconds).toBeLessThan((n < 20 ? STATEMENT : TRANSACTION) + SLACK)
  }
  await server.thaw()
  await eventually('it serves again', async () => (await read(5).catch(() => null)) === 5, 8)
  expect(await Promise.all(Array.from({ length: 20 }, (_, n) => read(n)))).toEqual(
    Array.from({ length: 20 }, (_, n) => n),
  )
  // Nothing of a transaction that was given up before it had begun is done later.
  expect(await admin`select id from notes`).toHaveLength(0)
}, 60_000)

test('no late answer reaches the next question, and the session that was left ends', async () => {
  const single = openDatabase(server.config, {
    max: 1,
    deadlines: { statementMilliseconds: 1000, transactionMilliseconds: 1500 },
  })
  const ask = (n: number, seconds: number) => single`select ${n}::int as n, pg_sleep(${seconds})`
  for (let n = 0; n < 3; n++) {
    const { outcome, milliseconds } = await timed(() => ask(n, 1.3))
    expect(outcome).toBeInstanceOf(DeadlinePassed)
    expect(milliseconds).toBeLessThan(1300)
    expect(await ask(n + 100, 0)).toMatchObject([{ n: n + 100 }])
  }
  await single.end({ timeout: 1 })
  await eventually('no session is left over', async () => (await connections()) === 0, 4)
})

test('a transaction has one deadline for all that it does, and what it goes on to do is not done', async () => {
  let last: unknown
  const { outcome, milliseconds } = await timed(() =>
    db.beginWithin(500, async (tx) => {
      await tx`insert into notes values (1)`
      await Bun.sleep(800)
      last = await tx`insert into notes values (2)`.catch((error: unknown) => error)
    }),
  )
  expect(outcome).toBeInstanceOf(DeadlinePassed)
  expect(milliseconds).toBeLessThan(700)
  await eventually('its next statement is refused', () => isUnavailable(last), 2)
  expect(await read(1)).toBe(1)
  expect(await admin`select id from notes`).toHaveLength(0)
})

test('only a change that had been sent may have been made', async () => {
  // Every connection is there before the server freezes.
  await Promise.all(Array.from({ length: 4 }, () => db`select pg_sleep(0.1)`))
  const [committing, open, sent, reading] = await Promise.all([
    // The commit meets a frozen server.
    timed(() =>
      db.begin(async (tx) => {
        await tx`insert into notes values (1)`
        await Bun.sleep(600)
      }),
    ),
    timed(() =>
      db.begin(async (tx) => {
        await tx`insert into notes values (2)`
        await Bun.sleep(600)
        await tx`insert into notes values (3)`
      }),
    ),
    Bun.sleep(600).then(() => timed(() => db`insert into notes values (4)`)),
    Bun.sleep(600).then(() => timed(() => db`select id from notes`)),
    Bun.sleep(50).then(() => server.freeze()),
  ])
  expect(committing.outcome).toBeInstanceOf(OutcomeUnknown)
  expect(sent.outcome).toBeInstanceOf(OutcomeUnknown)
  expect(open.outcome).toBeInstanceOf(DeadlinePassed)
  expect(reading.outcome).toBeInstanceOf(DeadlinePassed)
  for (const { outcome } of [committing, sent]) expect(isUnavailable(outcome)).toBe(true)
  await server.thaw()
  await eventually('no session is left over', async () => (await connections()) <= 4, 4)
  const ids = (await admin<{ id: number }[]>`select id from notes order by id`).map(({ id }) => id)
  expect(ids.filter((id) => id === 2 || id === 3)).toEqual([])
}, 60_000)

test('whether a statement that overran may have changed something does not depend on its first word', async () => {
  const [reading, changing] = await Promise.all([
    timed(() => db`with slow as (select pg_sleep(3)) select 1 from slow`),
    timed(
      () => db`
      with made as (${db`insert into notes values (1) returning id`}) select pg_sleep(3) from made`,
    ),
  ])
  expect(reading.outcome).toBeInstanceOf(DeadlinePassed)
  expect(changing.outcome).toBeInstanceOf(OutcomeUnknown)
})

test('a server that is lost during a commit leaves open what became of the change', async () => {
  await admin`create or replace function slow() returns trigger language plpgsql as 'begin perform pg_sleep(5); return null; end'`
  await admin`
    create constraint trigger slow after insert on notes deferrable initially deferred
    for each row execute function slow()`
  try {
    const lost = timed(() => db.begin((tx) => tx`insert into notes values (1)`))
    await Bun.sleep(300)
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where query = 'commit'`
    expect((await lost).outcome).toBeInstanceOf(OutcomeUnknown)
    // Ended while it was still at its work, a transaction has changed nothing for sure.
    const open = timed(() =>
      db.begin(async (tx) => {
        await tx`select pg_sleep(5)`
      }),
    )
    await Bun.sleep(300)
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(5)%' and pid <> pg_backend_pid()`
    const { outcome } = await open
    expect(isUnavailable(outcome)).toBe(true)
    expect(outcome).not.toBeInstanceOf(OutcomeUnknown)
  } finally {
    await admin`drop trigger slow on notes`
  }
})

test('a transaction without a deadline outlives those of the pool', async () => {
  const { outcome } = await timed(() =>
    db.beginWithin(Infinity, async (tx) => {
      await tx`select set_config('statement_timeout', '0', true)`
      await tx`select pg_sleep(2)`
      return 'done'
    }),
  )
  expect(outcome).toBe('done')
})
