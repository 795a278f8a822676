import { afterAll, beforeAll, expect, test } from 'bun:test'
import { errorResponse } from '../../../src/backend/http/errors.ts'
import { lockApp, shareAppOf } from '../../../src/core/apps/app-lock.ts'
import { createLog } from '../../../src/platform/log.ts'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { isUnavailable } from '../../../src/platform/postgres/outages.ts'
import { type Answer, api } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { owner } from '../../support/people.ts'

let ctx: TestContext
let db: Database
let client: ReturnType<ReturnType<typeof api>['as']>
let organisationId: string

beforeAll(async () => {
  ctx = await testContext()
  const ada = await owner(ctx)
  organisationId = ada.organisationId
  db = openDatabase(ctx.database.config, { lockMilliseconds: 3000 })
  client = api({ ...ctx, db, log: createLog('silent') }).as(ada.token)
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await ctx.close()
})

const BUSY = 'The database is busy at the moment. Try again in a second.'

const write = (name: string) =>
  client.post('/v1/roles', { name, permissions: { permissions: {}, app_permissions: {} } })

/** Holds the lock, as a process does that was stopped in the middle of a change. */
async function whileHeld(work: () => Promise<void>) {
  await ctx.db.begin(async (tx) => {
    await tx`select 1 from organisations where id = ${organisationId} for no key update`
    await work()
  })
}

async function lockWaits(): Promise<number> {
  const [row] = await ctx.db`
    select count(*)::int as waits from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return row?.waits
}

async function timed(request: Promise<Answer>) {
  const start = performance.now()
  const { status, body, headers } = await request
  return { status, body, retryAfter: headers.get('retry-after'), milliseconds: performance.now() - start }
}

test('while another process holds the lock, writes are 503 within seconds and reads are answered', async () => {
  await whileHeld(async () => {
    let answered = 0
    const writes = Array.from({ length: 30 }, (_, n) => timed(write(`Held ${n}`)).finally(() => answered++))
    await eventually('two of them wait in the database', async () => (await lockWaits()) === 2)
    const reads = await Promise.all(Array.from({ length: 10 }, () => client.get('/v1/me')))
    expect(reads.map(({ status }) => status)).toEqual(Array(10).fill(200))
    // No read waited for the connection of a write.
    expect(answered).toBe(0)
    for (const { status, body, retryAfter, milliseconds } of await Promise.all(writes)) {
      expect({ status, body, retryAfter }).toEqual({ status: 503, body: { error: BUSY }, retryAfter: '1' })
      expect(milliseconds).toBeLessThan(15_000)
    }
  })
  const after = await Promise.all(Array.from({ length: 30 }, (_, n) => write(`Free ${n}`)))
  expect(after.map(({ status }) => status)).toEqual(Array(30).fill(201))
  const { body } = await client.get('/v1/roles')
  expect(body.data.filter(({ name }: { name: string }) => name.startsWith('Held'))).toEqual([])
}, 60_000)

test('a new name of an environment or an app waits for changes of secrets for seconds only', async () => {
  const shop = await app(ctx)
  const environmentId = shop.environments[0]?.id ?? ''
  const paths = [`/v1/environments/${environmentId}`, `/v1/apps/${shop.id}`]
  await ctx.db.begin(async (tx) => {
    await shareAppOf(tx, environmentId)
    await tx`select 1 from environments where id = ${environmentId} for no key update`
    for (const path of paths) {
      const renamed = await timed(client.put(path, { name: 'Live' }))
      expect(renamed).toMatchObject({ status: 503, body: { error: BUSY } })
      expect(renamed.milliseconds).toBeLessThan(8000)
    }
  })
  for (const path of paths) expect((await client.put(path, { name: 'Live' })).status).toBe(200)
})

test('a transaction that stays idle loses its connection, and a request that waits for its lock succeeds', async () => {
  const [limit] = await db`select setting::int as milliseconds from pg_settings
    where name = 'idle_in_transaction_session_timeout'`
  expect(limit?.milliseconds).toBe(15_000)
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const stuck = db
    .begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 300`
      await tx`select 1 from organisations where id = ${organisationId} for no key update`
      hold()
      await Bun.sleep(800)
      await tx`select 1`
    })
    .catch((error: unknown) => error)
  await held
  expect((await write('After an idle one')).status).toBe(201)
  expect(isUnavailable(await stuck)).toBe(true)
})

test.each(['57014', '55P03', '25P03', '40P01', '40001'])('SQLSTATE %s is a 503', (code) => {
  const error = Object.assign(new Error('a value'), { code })
  expect(errorResponse('UNKNOWN', error, createLog('silent'), 'request')).toEqual({
    status: 503,
    message: BUSY,
    headers: { 'retry-after': '1' },
  })
})

test('a new name of an app keeps no others from changing the organisation while it waits for changes of secrets', async () => {
  const shop = await app(ctx)
  const environmentId = shop.environments[0]?.id ?? ''
  let renaming: Promise<Answer> | undefined
  await ctx.db.begin(async (tx) => {
    await shareAppOf(tx, environmentId)
    renaming = client.put(`/v1/apps/${shop.id}`, { name: 'Quiet' })
    await eventually('the new name waits', async () => (await lockWaits()) > 0)
    const [organisation] = await ctx.db.begin(
      (aside) => aside`select id from organisations where id = ${organisationId} for no key update nowait`,
    )
    expect(organisation?.id).toBe(organisationId)
  })
  expect(await renaming).toMatchObject({ status: 200, body: { name: 'Quiet' } })
})

test('a new name of an app waits for the organisation without a deadlock', async () => {
  const shop = await app(ctx)
  let renaming: Promise<Answer> | undefined
  await ctx.db.begin(async (tx) => {
    await tx`select 1 from organisations where id = ${organisationId} for no key update`
    renaming = client.put(`/v1/apps/${shop.id}`, { name: 'Patient' })
    await eventually('the new name waits', async () => (await lockWaits()) > 0)
    // As a deletion of the app does.
    await lockApp(tx, shop.id)
  })
  expect(await renaming).toMatchObject({ status: 200, body: { name: 'Patient' } })
})
