import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { openReadMemory } from '../../../src/context.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createLog } from '../../../src/platform/log.ts'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { createChangeLimiter, createReadLimiter } from '../../../src/platform/postgres/limiters.ts'
import { createLookUps } from '../../../src/platform/postgres/look-ups.ts'
import { migrate, readMigrations } from '../../../src/platform/postgres/migrate.ts'
import { type Answer, api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { owner } from '../../support/people.ts'
import { type RestartablePostgres, startRestartablePostgres } from '../../support/restartable-postgres.ts'

const READ = 1000
const CHANGE = 2000
const SLACK = 1000

let server: RestartablePostgres
let shared: TestContext
let ctx: TestContext
let db: Database
let clients: ReturnType<typeof api>
let client: ReturnType<typeof clients.as>

beforeAll(async () => {
  server = await startRestartablePostgres()
  shared = await testContext()
  const log = createLog('silent')
  const setUp = openDatabase(server.config, { max: 1 })
  await migrate(setUp, await readMigrations(), { log, clock: systemClock })
  await setUp.end()
  db = openDatabase(server.config, {
    deadlines: { statementMilliseconds: READ, transactionMilliseconds: CHANGE },
  })
  ctx = {
    ...shared,
    db,
    limitChanges: createChangeLimiter(db),
    limitReads: createReadLimiter(db),
    lookUps: createLookUps(db),
    memory: openReadMemory({ cacheMegabytes: 64, deadlines: db.deadlines }, server.config, shared.metrics),
    log,
  }
  const ada = await owner(ctx)
  clients = api(ctx)
  client = clients.as(ada.token)
}, 60_000)
afterEach(() => server.thaw())
afterAll(async () => {
  await db.end({ timeout: 1 })
  await ctx.memory?.end()
  await server.remove()
  await shared.close()
})

const write = (name: string) =>
  client.post('/v1/roles', { name, permissions: { permissions: {}, app_permissions: {} } })

async function timed(request: Promise<Answer>) {
  const start = performance.now()
  const { status, body, headers } = await request
  return { status, body, retryAfter: headers.get('retry-after'), milliseconds: performance.now() - start }
}

const LATE = 'The database did not answer in time. Try again in a second.'
// A look-up that was still waiting for its turn.
const BUSY = 'The database is busy at the moment. Try again in a second.'
// A statement that was sent on a connection that another one's deadline has ended.
const LOST = 'The database cannot be reached at the moment.'

test('while the database is frozen everything is 503 within its deadline, and it goes on by itself', async () => {
  // Some are under way when it freezes.
  const before = Promise.all(Array.from({ length: 40 }, (_, n) => timed(write(`Before ${n}`))))
  await Bun.sleep(10)
  await server.freeze()
  const ready = timed(clients.anonymous.get('/service/ready/'))
  const during = Promise.all([
    ...Array.from({ length: 40 }, () => timed(client.get('/v1/members'))),
    ...Array.from({ length: 40 }, (_, n) => timed(write(`During ${n}`))),
  ])
  expect(await ready).toMatchObject({ status: 503, retryAfter: '1' })
  expect((await ready).milliseconds).toBeLessThan(2300)
  for (const { status, body, retryAfter, milliseconds } of await during) {
    // Whoever calls is looked up first: nothing was changed yet.
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '1' })
    expect([LATE, LOST, BUSY]).toContain(body.error)
    expect(milliseconds).toBeLessThan(READ + SLACK)
  }
  for (const { status, milliseconds } of await before) {
    expect([201, 503]).toContain(status)
    expect(milliseconds).toBeLessThan(READ + CHANGE + SLACK)
  }
  expect((await clients.anonymous.get('/service/health/')).status).toBe(200)
  await server.thaw()
  await eventually('reads are served again', async () => (await client.get('/v1/members')).status === 200, 5)
  await eventually(
    'it is ready again',
    async () => (await clients.anonymous.get('/service/ready/')).status === 200,
    5,
  )
  const after = await Promise.all(Array.from({ length: 20 }, (_, n) => write(`After ${n}`)))
  expect(after.map(({ status }) => status)).toEqual(Array(20).fill(201))
  expect(after.map(({ body }) => body.name)).toEqual(Array.from({ length: 20 }, (_, n) => `After ${n}`))
}, 60_000)

test('a change whose commit meets a frozen database may have been made, and the answer says so', async () => {
  await db`create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(1); return null; end'`
  await db`create constraint trigger wait after insert on roles deferrable initially deferred
    for each row execute function wait()`
  try {
    const changing = timed(write('Unsure'))
    await eventually('the commit waits', async () => {
      const sleeping = await db`select 1 from pg_stat_activity where wait_event = 'PgSleep'`
      return sleeping.length > 0
    })
    await server.freeze()
    const { status, body, retryAfter, milliseconds } = await changing
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '1' })
    expect(body.error).toBe(
      'The database stopped answering in the middle of the change, which may or may not have been made: ' +
        'check before you repeat it.',
    )
    expect(milliseconds).toBeLessThan(CHANGE + SLACK)
  } finally {
    await server.thaw()
    await eventually('it serves again', async () => (await client.get('/v1/me')).status === 200, 5)
    await db`drop trigger wait on roles`
  }
}, 60_000)

test('the wait for a turn is part of a read’s time', async () => {
  const other = openDatabase(server.config, { max: 1, deadlines: null })
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const { promise: free, resolve: release } = Promise.withResolvers<void>()
  const holding = other.begin(async (tx) => {
    await tx`lock table apps in access exclusive mode`
    hold()
    await free
  })
  await held
  // Five have a turn; the others wait for theirs until their time is over.
  const reads = await Promise.all(Array.from({ length: 12 }, () => timed(client.get('/v1/apps'))))
  release()
  await holding
  await other.end()
  for (const { status, retryAfter, milliseconds } of reads) {
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '1' })
    expect(milliseconds).toBeLessThan(READ + SLACK / 2)
  }
  await eventually('turns are free again', async () => (await client.get('/v1/apps')).status === 200, 5)
}, 60_000)

test('the wait for a turn is part of a change’s time', async () => {
  const { organisationId } = (await db`select id as "organisationId" from organisations`)[0] ?? {}
  const other = openDatabase(server.config, { max: 1, deadlines: null })
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const { promise: free, resolve: release } = Promise.withResolvers<void>()
  const holding = other.begin(async (tx) => {
    await tx`select 1 from organisations where id = ${organisationId} for no key update`
    hold()
    await free
  })
  await held
  // The first five hold their turns until their time is over; those who wait for a turn have none left then.
  const writes = await Promise.all(Array.from({ length: 12 }, (_, n) => timed(write(`Turn ${n}`))))
  release()
  await holding
  await other.end()
  for (const { status, milliseconds } of writes) {
    expect(status).toBe(503)
    expect(milliseconds).toBeLessThan(CHANGE + SLACK)
  }
  expect(
    (await client.get('/v1/roles')).body.data.filter(({ name }: { name: string }) => name.startsWith('Turn')),
  ).toEqual([])
}, 60_000)
