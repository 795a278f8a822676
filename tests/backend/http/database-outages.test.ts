import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { errorResponse } from '../../../src/backend/http/errors.ts'
import { openReadMemory } from '../../../src/context.ts'
import { createLog } from '../../../src/platform/log.ts'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { createChangeLimiter } from '../../../src/platform/postgres/limiters.ts'
import { DeadlinePassed, OutcomeUnknown } from '../../../src/platform/postgres/outages.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { owner } from '../../support/people.ts'

let ctx: TestContext
let db: Database
let clients: ReturnType<typeof api>
let client: ReturnType<typeof clients.as>
let token: string

beforeAll(async () => {
  ctx = await testContext()
  const ada = await owner(ctx)
  db = openDatabase(ctx.database.config, { max: 4 })
  clients = api({ ...ctx, db, limitChanges: createChangeLimiter(db), log: createLog('silent') })
  token = ada.token
  client = clients.as(token)
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await ctx.close()
})

const write = (name: string) =>
  client.post('/v1/roles', { name, permissions: { permissions: {}, app_permissions: {} } })
const ready = () => clients.anonymous.get('/service/ready/')
const SENTENCES = {
  unreachable: 'The database cannot be reached at the moment.',
  late: 'The database did not answer in time. Try again in a second.',
  busy: 'The database is busy at the moment. Try again in a second.',
  crowded: 'The database takes no more connections at the moment.',
  refusing:
    'The database refuses to let Keyward in: its user, its password or its name is not what Keyward was given.',
  untrusted: "The database's certificate is not one that Keyward trusts.",
  readOnly: 'The database is read-only at the moment: it can be read, and changes are refused.',
  diskFull: "The database's disk is full: changes are refused until there is room again.",
  storage: 'The database cannot use its storage at the moment.',
  memory: 'The database has run out of memory. Try again in a second.',
  limit: 'The database has reached a limit of its own configuration. Try again in a second.',
  fault: "Internal error. The log has the details under the request's id.",
}

const CODES: Record<keyof typeof SENTENCES, string> = {
  unreachable:
    'CONNECTION_CLOSED CONNECTION_ENDED CONNECTION_DESTROYED CONNECT_TIMEOUT ECONNREFUSED ECONNRESET ECONNABORTED ' +
    'EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EADDRNOTAVAIL ENOTFOUND EAI_AGAIN ' +
    '08000 08001 08003 08004 08006 08P01 57P01 57P02 57P03 57P05 40003',
  late: 'DEADLINE_PASSED',
  busy: '57000 57014 55P03 25P03 25P04 40P01 40001',
  crowded: '53300',
  refusing: '28000 28P01 3D000 57P04 SASL_SIGNATURE_MISMATCH',
  untrusted:
    'CERT_HAS_EXPIRED SELF_SIGNED_CERT_IN_CHAIN DEPTH_ZERO_SELF_SIGNED_CERT ERR_TLS_CERT_ALTNAME_INVALID',
  readOnly: '25006',
  diskFull: '53100 ENOSPC',
  storage: '58000 58030 58P01 58P02',
  memory: '53200',
  limit: '53000 53400',
  fault:
    '25000 25001 25P01 25P02 22P02 23505 42501 42601 42P01 54000 54001 55000 XX000 XX001 XX002 F0000 ENOENT EACCES',
}

const TABLE = Object.entries(CODES).flatMap(([kind, codes]) =>
  codes.split(' ').map((code) => [code, kind as keyof typeof SENTENCES] as const),
)

describe('each code has its answer', () => {
  test.each(TABLE)('%s: %s', (code, kind) => {
    const error = Object.assign(new Error('a value'), { code })
    expect(errorResponse('UNKNOWN', error, createLog('silent'), 'request')).toEqual({
      status: kind === 'fault' ? 500 : 503,
      message: SENTENCES[kind],
      headers: kind === 'fault' ? {} : { 'retry-after': '1' },
    })
  })

  test('a missing file is an outage only where it is the socket of the database', () => {
    const error = Object.assign(new Error('a path'), { code: 'ENOENT', syscall: 'connect' })
    expect(errorResponse('UNKNOWN', error, createLog('silent'), 'request').message).toBe(
      SENTENCES.unreachable,
    )
  })

  test('a change of unknown outcome says so, whatever it was that was lost, and the log has the code', () => {
    const { log, lines } = recordedLog()
    for (const cause of [new DeadlinePassed(), Object.assign(new Error(), { code: '57P01' })]) {
      const { status, message } = errorResponse('UNKNOWN', new OutcomeUnknown(cause), log, 'request')
      expect(status).toBe(503)
      expect(message).toContain('may or may not have been made')
    }
    expect(lines.join()).toContain('57P01')
  })
})

test('a read-only database: changes are 503, reads are served, and the backend is not ready until it is over', async () => {
  const name = ctx.database.config.database
  await ctx.db.unsafe(`alter database ${name} set default_transaction_read_only = on`)
  // Sessions keep what they were opened with: these, as after a fail-over, are of a server that can't be written.
  const old = openDatabase(ctx.database.config, { max: 4 })
  await Promise.all(Array.from({ length: 4 }, () => old`select pg_sleep(0.1)`))
  const memory = openReadMemory(ctx.config, ctx.database.config, ctx.metrics)
  const backend = api({
    ...ctx,
    db: old,
    memory,
    limitChanges: createChangeLimiter(old),
    log: createLog('silent'),
  })
  const caller = backend.as(token)
  const change = (name: string) =>
    caller.post('/v1/roles', { name, permissions: { permissions: {}, app_permissions: {} } })
  const isReady = () => backend.anonymous.get('/service/ready/')
  try {
    expect(await change('Refused')).toMatchObject({ status: 503, body: { error: SENTENCES.readOnly } })
    const read = await Promise.all(Array.from({ length: 8 }, () => caller.get('/v1/me')))
    expect(read.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(await isReady()).toMatchObject({ status: 503, body: { error: SENTENCES.readOnly } })
  } finally {
    await ctx.db.unsafe(`alter database ${name} reset default_transaction_read_only`)
  }
  // Nobody restarts anything, and the server cuts no connection: each is left when it refuses to write.
  let refused = 0
  for (let n = 0; n < 12; n++) if ((await change(`After ${n}`)).status !== 201) refused++
  expect(refused).toBeLessThanOrEqual(4)
  await eventually('it is ready again', async () => (await isReady()).status === 200, 2)
  const after = await Promise.all(Array.from({ length: 12 }, (_, n) => change(`Later ${n}`)))
  expect(after.map(({ status }) => status).filter((status) => status !== 201).length).toBeLessThanOrEqual(4)
  const last = await Promise.all(Array.from({ length: 12 }, (_, n) => change(`Last ${n}`)))
  expect(last.map(({ status }) => status)).toEqual(Array(12).fill(201))
  await old.end({ timeout: 1 })
  await memory?.end()
}, 60_000)

describe.each([
  ['53100', SENTENCES.diskFull],
  ['58030', SENTENCES.storage],
])(
  'a write that PostgreSQL ends with %s, raised by a trigger in the place of a real disk',
  (code, sentence) => {
    test('is 503 with its sentence; the backend is not ready, and is ready again by itself', async () => {
      await ctx.db.unsafe(`
      create or replace function fail() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '${code}'; end $$`)
      await ctx.db`create trigger fail before insert on roles for each row execute function fail()`
      expect((await ready()).status).toBe(200)
      expect(await write('Full')).toMatchObject({ status: 503, body: { error: sentence } })
      expect((await client.get('/v1/me')).status).toBe(200)
      expect(await ready()).toMatchObject({ status: 503, body: { error: sentence } })
      await ctx.db`drop trigger fail on roles`
      expect((await write(`Room again ${code}`)).status).toBe(201)
      await eventually('it is ready again', async () => (await ready()).status === 200, 15)
    }, 60_000)
  },
)

test('a password that was changed under the running backend is 503, with a line in the log', async () => {
  const user = `rotated_${ctx.database.config.database}`
  await ctx.db.unsafe(`create role ${user} login superuser password 'one'`)
  const { log, lines } = recordedLog()
  const config = { ...ctx.database.config, username: user, password: 'one' }
  const rotated = openDatabase(config, { max: 2 })
  const memory = openReadMemory(ctx.config, config, ctx.metrics)
  const broken = api({ ...ctx, db: rotated, memory, log })
  try {
    expect((await broken.anonymous.get('/service/ready/')).status).toBe(200)
    await ctx.db.unsafe(`alter role ${user} password 'two'`)
    await ctx.db`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${user}`
    await eventually('new connections are refused', async () => {
      const { status, body } = await broken.as(token).get('/v1/me')
      return status === 503 && body.error === SENTENCES.refusing
    })
    expect(lines.join()).toContain('28P01')
    // It may find a connection first that has been ended, and nobody has noticed.
    await eventually('it is not ready, and says why', async () => {
      const { status, body } = await broken.anonymous.get('/service/ready/')
      return status === 503 && body.error === SENTENCES.refusing
    })
  } finally {
    await rotated.end({ timeout: 1 })
    await memory?.end()
    await ctx.db.unsafe(`drop role ${user}`)
  }
})
