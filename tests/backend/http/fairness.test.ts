import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { newToken } from '../../../src/core/tokens/token-text.ts'
import { createFairLimiter } from '../../../src/platform/limiter.ts'
import { type Database, openDatabase, type Transaction } from '../../../src/platform/postgres/database.ts'
import {
  createChangeLimiter,
  createPublicLimiter,
  createReadLimiter,
  createScanLimiter,
  createSideWriteLimiter,
} from '../../../src/platform/postgres/limiters.ts'
import { createLookUps } from '../../../src/platform/postgres/look-ups.ts'
import { type Answer, api, type Client } from '../../support/api.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { member, owner, type Person, roleOf, session, token, user } from '../../support/people.ts'
import { secretsOf } from '../../support/secrets.ts'

let ctx: TestContext
/** The pool of the backend under test, which nothing else uses. */
let pool: Database
let ada: Person & { organisationId: string }
let crowded: TestContext
let backend: ReturnType<typeof api>
let admin: Client
let flooding: Person
let flooder: Client
const { log, lines } = recordedLog()

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  pool = openDatabase(ctx.database.config)
  crowded = {
    ...ctx,
    db: pool,
    limitChanges: createChangeLimiter(pool),
    limitReads: createReadLimiter(pool),
    limitScans: createScanLimiter(pool),
    lookUps: createLookUps(pool),
    limitPublic: createPublicLimiter(pool),
    limitSideWrites: createSideWriteLimiter(pool),
    log,
  }
  backend = api(crowded)
  admin = backend.as(ada.token)
})
beforeEach(async () => {
  await floodAs('admin')
  // So that no connection is opened, and no last use written, in the middle of a test.
  await Promise.all(Array.from({ length: 20 }, () => admin.get('/v1/me')))
})
afterAll(async () => {
  await pool.end({ timeout: 1 })
  await ctx.close()
})

async function floodAs(role: 'admin' | 'developer') {
  flooding = await member(ctx, role)
  flooder = backend.as(flooding.token)
}

/** Service accounts of the flooding member: the first has a token from the member, each other one from the one before. */
async function accountsOfFlooder(count: number): Promise<Client[]> {
  const { id: role_id } = await roleOf(ctx, 'manager')
  const accounts: Client[] = []
  for (let n = 0; n < count; n++) {
    const { id } = (await flooder.post('/v1/service-accounts', { name: randomUUID(), role_id })).body
    const maker = accounts.at(-1) ?? flooder
    const { status, body } = await maker.post(`/v1/service-accounts/${id}/tokens`, { name: 'of another' })
    expect(status).toBe(201)
    accounts.push(backend.as(body.token))
  }
  return accounts
}

/** Runs the work while another session holds a lock. */
async function whileLocked(lock: (tx: Transaction) => PromiseLike<unknown>, work: () => Promise<void>) {
  await ctx.db.begin(async (tx) => {
    await lock(tx)
    await work()
  })
}

/** Sends many requests of the flooding caller at once; tells how many are answered. */
function flood(count: number, send: (n: number) => Promise<Answer>) {
  let answered = 0
  const sent = Array.from({ length: count }, (_, n) => send(n).finally(() => answered++))
  const statuses = async () => (await Promise.all(sent)).map(({ status }) => status)
  return { answered: () => answered, statuses }
}

/**
 * Has many creations of apps wait while the organisation is locked, and then one of another client: it is answered before
 * six of the many are, and all succeed.
 */
async function expectTurnBeside(count: number, many: (n: number) => Client, other: Client) {
  const create = (client: Client) => client.post('/v1/apps', { name: `App ${randomUUID()}` })
  const organisation = (tx: Transaction) => tx`select 1 from organisations for no key update`
  let changes = flood(0, () => flooder.get('/v1/me'))
  let change: Promise<{ status: number; before: number }> | undefined
  await whileLocked(organisation, async () => {
    changes = flood(count, (n) => create(many(n)))
    await lockWaitsReach(1)
    change = create(other).then(({ status }) => ({ status, before: changes.answered() }))
    await expectReadsOfOthers()
  })
  const answer = await change
  expect(answer?.status).toBe(201)
  expect(answer?.before).toBeLessThan(6)
  expect(await changes.statuses()).toEqual(Array(count).fill(201))
}

const lockWaits = async () => {
  const [row] = await ctx.db<{ waits: number }[]>`
    select count(*)::int as waits from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return row?.waits ?? 0
}

const lockWaitsReach = (count: number) =>
  eventually(`${count} statements wait for a lock`, async () => (await lockWaits()) >= count)

/** Ten reads of another caller, at once and one after the other. */
async function expectReadsOfOthers() {
  const paths = ['/v1/me', '/v1/roles', '/v1/apps', '/v1/members', '/v1/organisation']
  const atOnce = await Promise.all(paths.map((path) => admin.get(path)))
  expect(atOnce.map(({ status }) => status)).toEqual(paths.map(() => 200))
  for (const path of paths) expect((await admin.get(path)).status).toBe(200)
}

describe('one caller’s reads', () => {
  test('never take the connections of others, wait in line and are all answered', async () => {
    const keys = (tx: Transaction) => tx`lock table environment_keys in access exclusive mode`
    let reads = flood(0, () => flooder.get('/v1/me/keys'))
    await whileLocked(keys, async () => {
      reads = flood(200, () => flooder.get('/v1/me/keys'))
      await lockWaitsReach(5)
      await expectReadsOfOthers()
      expect(await lockWaits()).toBe(5)
      expect(reads.answered()).toBe(0)
    })
    expect(await reads.statuses()).toEqual(Array(200).fill(200))
  })

  test('count with each of its tokens together, and with those of its session', async () => {
    const keys = (tx: Transaction) => tx`lock table environment_keys in access exclusive mode`
    const bearer = await session(ctx, flooding.userId)
    let reads = flood(0, () => flooder.get('/v1/me/keys'))
    await whileLocked(keys, async () => {
      reads = flood(20, (n) => (n % 2 === 0 ? flooder : backend.as(bearer)).get('/v1/me/keys'))
      await lockWaitsReach(5)
      await expectReadsOfOthers()
      expect(await lockWaits()).toBe(5)
    })
    expect(await reads.statuses()).toEqual(Array(20).fill(200))
  })

  test('of accounts that are no members count together, and each of these has its turn', async () => {
    const strangers: Client[] = []
    for (let n = 0; n < 4; n++) strangers.push(backend.as(await session(ctx, await user(ctx))))
    const [many = admin, one = admin] = [strangers[0], strangers[3]]
    const path = '/service/auth/sso/identities/'
    // The first request of a session takes longer: it is looked up, and its last use is written.
    for (const stranger of strangers) expect((await stranger.get(path)).status).toBe(200)
    const identities = (tx: Transaction) => tx`lock table sso_identities in access exclusive mode`
    let reads = flood(0, () => many.get(path))
    let other: Promise<number> | undefined
    await whileLocked(identities, async () => {
      reads = flood(60, (n) => (strangers[n % 3] as Client).get(path))
      await lockWaitsReach(5)
      other = one.get(path).then(() => reads.answered())
      await expectReadsOfOthers()
      expect(await lockWaits()).toBe(5)
    })
    expect(await other).toBeLessThan(40)
    expect(await reads.statuses()).toEqual(Array(60).fill(200))
  })

  test('count with those of its service accounts', async () => {
    const accounts = await accountsOfFlooder(3)
    const keys = (tx: Transaction) => tx`lock table environment_keys in access exclusive mode`
    let reads = flood(0, () => flooder.get('/v1/me/keys'))
    await whileLocked(keys, async () => {
      reads = flood(40, (n) => ([flooder, ...accounts][n % 4] as Client).get('/v1/me/keys'))
      await lockWaitsReach(5)
      await expectReadsOfOthers()
      expect(await lockWaits()).toBe(5)
    })
    expect(await reads.statuses()).toEqual(Array(40).fill(200))
  })

  test.each(['import', 'change', 'deletion'] as const)(
    'count with what a change reads first: %s',
    async (kind) => {
      // Of one environment, a caller's changes would be prepared one at a time.
      const names = ['one', 'two', 'three', 'four', 'five']
      const shop = await app(ctx, `App ${randomUUID()}`, names)
      const places = names.map((name) => `app_id=${shop.id}&env=${name}`)
      const placeOf = (n: number) => places[n % places.length]
      const secrets = Array.from({ length: 5 }, (_, n) => ({ key: `K${n}`, value: 'v' }))
      const added = await Promise.all(
        places.map((place) => flooder.post(`/v1/secrets?${place}`, { secrets })),
      )
      const changes = (n: number) =>
        added[n % places.length]?.body.map(({ id }: { id: string }) => ({ id, value: `new ${n}` }))
      const send = {
        import: (n: number) => flooder.post(`/v1/secrets/import?${placeOf(n)}`, { content: `K0=new ${n}` }),
        change: (n: number) => flooder.put(`/v1/secrets?${placeOf(n)}`, { secrets: changes(n) }),
        deletion: () => flooder.delete(`/v1/apps/${shop.id}`),
      }[kind]
      const table = (tx: Transaction) => tx`lock table secrets, secret_overrides in access exclusive mode`
      let sent = flood(0, () => flooder.get('/v1/me'))
      await whileLocked(table, async () => {
        sent = flood(40, send)
        await lockWaitsReach(5)
        await expectReadsOfOthers()
        expect(await lockWaits()).toBe(5)
      })
      const statuses = await sent.statuses()
      expect(statuses).toEqual(kind === 'deletion' ? expect.arrayContaining([204, 404]) : Array(40).fill(200))
    },
  )

  test.each(['/v1/logs/audit', '/v1/attention'])(
    'of %s have one connection, those of two members two, and others read beside them',
    async (path) => {
      const second = backend.as((await member(ctx, 'admin')).token)
      // Those who have read much at once of late have fewer connections.
      crowded.limitReads.charge(ada.id, 1000)
      let reads = flood(0, () => flooder.get(path))
      await whileLocked(
        (tx) => tx`lock table audit_entries in access exclusive mode`,
        async () => {
          reads = flood(40, (n) => (n < 20 ? flooder : second).get(path))
          await lockWaitsReach(2)
          await expectReadsOfOthers()
          expect(await lockWaits()).toBe(2)
        },
      )
      expect(await reads.statuses()).toEqual(Array(40).fill(200))
    },
  )

  test('end their turns, whatever the response', async () => {
    await floodAs('developer')
    const inSession = backend.as(await session(ctx, flooding.userId))
    const requests: (() => Promise<Answer>)[] = [
      () => flooder.get(`/v1/roles/${randomUUID()}`),
      () => flooder.get('/v1/roles?limit=none'),
      () => flooder.get('/v1/roles?cursor=none'),
      () => flooder.get('/v1/environments'),
      () => flooder.get('/service/public/v1/roles/'),
      () => flooder.post('/v1/roles', {}),
      () => inSession.get('/service/auth/sessions/'),
      () => flooder.get('/v1/service-accounts'),
      () => flooder.get('/v1/logs/audit'),
      () => flooder.get('/v1/logs/audit?cursor=none'),
    ]
    const head = { method: 'HEAD', headers: { authorization: `Bearer ${flooding.token}` } }
    for (let n = 0; n < 5; n++) {
      expect((await backend.app.handle(new Request('http://localhost/v1/roles', head))).status).toBe(200)
    }
    const answers = await Promise.all(requests.flatMap((send) => [send(), send(), send(), send(), send()]))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400, 403, 404]))
    expect((await flooder.get('/v1/me')).status).toBe(200)
  })

  test('count by the size of their answers, with an ETag or without', async () => {
    const charged: number[] = []
    const limitReads = {
      ...createReadLimiter(pool),
      charge: (_: unknown, time: number) => charged.push(time),
    }
    const counted = api({ ...crowded, limitReads }).as(flooding.token)
    const { id } = await app(ctx)
    for (const path of ['/v1/roles', `/v1/secrets/export?app_id=${id}&env=development&format=json`]) {
      const { status } = await counted.get(path)
      expect({ path, status, charged: charged.splice(0).map((time) => time > 0) }).toEqual({
        path,
        status: 200,
        charged: [true],
      })
    }
  })

  test('beyond its queue are 503 and say so, and others are served', async () => {
    const limitReads = createFairLimiter({ concurrency: 2, concurrencyEach: 1, queueEach: 1 })
    const impatient = api({ ...ctx, db: pool, limitReads, log })
    const leave = await limitReads.enter(flooding.id)
    const waiting = limitReads.enter(flooding.id)
    const { status, body, headers } = await impatient.as(flooding.token).get('/v1/me')
    expect({ status, body, retryAfter: headers.get('retry-after') }).toEqual({
      status: 503,
      body: { error: 'You have too many requests under way. Wait for some to finish.' },
      retryAfter: '1',
    })
    expect((await impatient.as(ada.token).get('/v1/me')).status).toBe(200)
    leave()
    ;(await waiting)()
  })

  test('that have waited for too long are 503, and others are served', async () => {
    const limitReads = createFairLimiter({
      concurrency: 2,
      concurrencyEach: 1,
      queueEach: 1,
      waitMilliseconds: 50,
    })
    const impatient = api({ ...crowded, limitReads })
    const leave = await limitReads.enter(flooding.id)
    const { status, body, headers } = await impatient.as(flooding.token).get('/v1/me')
    expect({ status, body, retryAfter: headers.get('retry-after') }).toEqual({
      status: 503,
      body: { error: 'The database is busy at the moment. Try again in a second.' },
      retryAfter: '1',
    })
    expect((await impatient.as(ada.token).get('/v1/me')).status).toBe(200)
    leave()
    expect((await impatient.as(flooding.token).get('/v1/me')).status).toBe(200)
  })
})

describe('one caller’s changes', () => {
  test('do not keep those of others waiting', async () => {
    const role = { name: 'Renamed', permissions: { permissions: {}, app_permissions: {} } }
    const { id } = (await flooder.post('/v1/roles', role)).body
    const organisation = (tx: Transaction) => tx`select 1 from organisations for no key update`
    let changes = flood(0, () => flooder.get('/v1/me'))
    let change: Promise<{ status: number; before: number }> | undefined
    await whileLocked(organisation, async () => {
      changes = flood(60, (n) => flooder.put(`/v1/roles/${id}`, { name: `Renamed ${n}` }))
      await lockWaitsReach(1)
      change = admin
        .post('/v1/roles', { ...role, name: 'Of another caller' })
        .then(({ status }) => ({ status, before: changes.answered() }))
      await expectReadsOfOthers()
      expect(await lockWaits()).toBeWithin(1, 3)
    })
    const answer = await change
    expect(answer?.status).toBe(201)
    expect(answer?.before).toBeLessThan(20)
    expect(await changes.statuses()).toEqual(Array(60).fill(200))
  })

  test('of one environment wait for its row one at a time, those of all callers together', async () => {
    const shop = await app(ctx)
    const id = shop.environments[0]?.id ?? ''
    const row = (tx: Transaction) => tx`select 1 from environments where id = ${id} for no key update`
    const add = (client: Client, environment: string, key: string) =>
      client.post(`/v1/secrets?app_id=${shop.id}&env=${environment}`, { secrets: [{ key, value: 'v' }] })
    const crowd = [flooder, admin, backend.as((await member(ctx, 'admin')).token)]
    let changes = flood(0, () => flooder.get('/v1/me'))
    await whileLocked(row, async () => {
      changes = flood(30, (n) => add(crowd[n % 3] as Client, 'development', `FLOOD_${n}`))
      await lockWaitsReach(1)
      await expectReadsOfOthers()
      expect((await add(admin, 'production', 'OTHER')).status).toBe(200)
      expect(await lockWaits()).toBe(1)
    })
    expect(await changes.statuses()).toEqual(Array(30).fill(200))
  })

  test('of an environment are prepared one at a time, and not while one waits for its row', async () => {
    const shop = await app(ctx)
    const other = backend.as((await member(ctx, 'admin')).token)
    const id = shop.environments[0]?.id ?? ''
    const row = (tx: Transaction) => tx`select 1 from environments where id = ${id} for no key update`
    const place = `?app_id=${shop.id}&env=development`
    const importFile = (client: Client, n: number) =>
      client.post(`/v1/secrets/import${place}`, { content: `KEY_${n}=v` })
    const keys = (n: number) => Array.from({ length: 5 }, (_, i) => ({ key: `NEW_${n}_${i}`, value: 'v' }))
    const add = (n: number) => flooder.post(`/v1/secrets${place}`, { secrets: keys(n) })
    let changes = flood(0, () => flooder.get('/v1/me'))
    let others: Promise<Answer[]> = Promise.resolve([])
    await whileLocked(row, async () => {
      const first = importFile(flooder, 0)
      await lockWaitsReach(1)
      const statements: string[] = []
      const { options } = pool
      options.debug = (_connection: number, text: string) => statements.push(text)
      const reads = () => statements.filter((text) => text.includes('found_public_key')).length
      changes = flood(20, (n) => (n % 2 === 0 ? importFile(flooder, n) : add(n)))
      others = Promise.all([first, importFile(other, 20)])
      await eventually('the other’s import is prepared', () => reads() > 0)
      await expectReadsOfOthers()
      options.debug = false
      expect(reads()).toBe(1)
    })
    expect((await others).map(({ status }) => status)).toEqual([200, 200])
    expect(await changes.statuses()).toEqual(Array(20).fill(200))
  })

  test('of an environment’s name wait in line with those of its secrets, and not with the organisation locked', async () => {
    const shop = await app(ctx)
    const id = shop.environments[0]?.id ?? ''
    const row = (tx: Transaction) => tx`select 1 from environments where id = ${id} for no key update`
    let changes: Promise<Answer[]> = Promise.resolve([])
    await whileLocked(row, async () => {
      const secrets = [{ key: 'ONE', value: 'v' }]
      const added = flooder.post(`/v1/secrets?app_id=${shop.id}&env=development`, { secrets })
      await lockWaitsReach(1)
      const renamed = flooder.put(`/v1/environments/${id}`, { name: 'renamed' })
      changes = Promise.all([added, renamed])
      expect((await admin.post('/v1/apps', { name: `App ${randomUUID()}` })).status).toBe(201)
      expect(await lockWaits()).toBe(1)
    })
    expect((await changes).map(({ status }) => status)).toEqual([200, 200])
  })

  test('of the organisation leave connections for those of environments, however many callers wait', async () => {
    const shop = await app(ctx)
    const crowd = [flooder, admin, backend.as((await member(ctx, 'admin')).token)]
    const organisation = (tx: Transaction) => tx`select 1 from organisations for no key update`
    let changes = flood(0, () => flooder.get('/v1/me'))
    await whileLocked(organisation, async () => {
      changes = flood(12, (n) => (crowd[n % 3] as Client).post('/v1/apps', { name: `App ${randomUUID()}` }))
      await lockWaitsReach(1)
      const secret = { secrets: [{ key: 'OTHER', value: 'v' }] }
      const place = `/v1/secrets?app_id=${shop.id}&env=development`
      expect((await admin.post(place, secret)).status).toBe(200)
      expect(await lockWaits()).toBeWithin(1, 3)
    })
    expect(await changes.statuses()).toEqual(Array(12).fill(201))
  })

  test('wait for each other without the turn of a row, which others get', async () => {
    const shop = await app(ctx, `App ${randomUUID()}`, ['one', 'two', 'three', 'four'])
    const add = (client: Client, environment: string) =>
      client.post(`/v1/secrets?app_id=${shop.id}&env=${environment}`, {
        secrets: [{ key: randomUUID(), value: 'v' }],
      })
    const create = (client: Client) => client.post('/v1/apps', { name: `App ${randomUUID()}` })
    const rows = (tx: Transaction) =>
      tx`select 1 from environments where app_id = ${shop.id} and name <> 'four' for no key update`
    let changes: Promise<Answer[]> = Promise.resolve([])
    await whileLocked(rows, async () => {
      const running = ['one', 'two', 'three'].map((environment) => add(flooder, environment))
      await lockWaitsReach(3)
      const four = shop.environments.find(({ name }) => name === 'four')?.id
      const waiting = [
        ...[create(flooder), create(flooder), create(flooder)],
        ...[add(flooder, 'four'), flooder.put(`/v1/environments/${four}`, { name: 'fourth' })],
      ]
      changes = Promise.all([...running, ...waiting])
      expect((await create(admin)).status).toBe(201)
      expect((await add(admin, 'four')).status).toBe(200)
      expect(await lockWaits()).toBe(3)
    })
    expect((await changes).map(({ status }) => status)).toEqual([200, 200, 200, 201, 201, 201, 200, 200])
  })

  test('are answered while all of its reads wait, also where they tell what is the same as before', async () => {
    const shop = await app(ctx)
    const place = `/v1/secrets?app_id=${shop.id}&env=development`
    const secrets = ['ONE', 'TWO'].map((key) => ({ key, value: 'old' }))
    const [one, two] = (await flooder.post(place, { secrets })).body
    const invites = (tx: Transaction) => tx`lock table invites in access exclusive mode`
    let reads = flood(0, () => flooder.get('/v1/me'))
    await whileLocked(invites, async () => {
      reads = flood(5, (n) => flooder.get(`/v1/members/invites?limit=${n + 1}`))
      await lockWaitsReach(5)
      const changes = [
        { id: one.id, tags: ['new'] },
        { id: two.id, tags: [] },
      ]
      const { status } = await secretsOf(flooder, shop.environments[0]?.id ?? '')('PUT', changes)
      expect(status).toBe(200)
    })
    expect(await reads.statuses()).toEqual(Array(5).fill(200))
  })

  test('share turns with those of its service accounts, also with tokens that one account made for another', async () => {
    const accounts = await accountsOfFlooder(8)
    await expectTurnBeside(24, (n) => accounts[n % 8] as Client, admin)
  })

  test('take turns with those of its service accounts, so that none of them holds up the others', async () => {
    const [account] = await accountsOfFlooder(1)
    await expectTurnBeside(30, () => flooder, account as Client)
  })

  test('are held up by none of its service accounts, however many service accounts that one makes', async () => {
    const [account] = await accountsOfFlooder(1)
    const { id: role_id } = await roleOf(ctx, 'manager')
    const crowd: Client[] = []
    for (let n = 0; n < 20; n++) {
      const { body } = await (account as Client).post('/v1/service-accounts', { name: randomUUID(), role_id })
      crowd.push(backend.as(body.initialToken.token))
    }
    await expectTurnBeside(24, (n) => crowd[n % 20] as Client, flooder)
  })

  test('of its own rows count as its reads', async () => {
    const bearer = await session(ctx, flooding.userId)
    const principal = (tx: Transaction) => tx`select 1 from principals where id = ${flooding.id} for update`
    let changes = flood(0, () => flooder.get('/v1/me'))
    await whileLocked(principal, async () => {
      changes = flood(30, (n) => backend.as(bearer).post('/v1/tokens', { name: `Token ${n}` }))
      await lockWaitsReach(5)
      await expectReadsOfOthers()
      expect(await lockWaits()).toBe(5)
    })
    expect(await changes.statuses()).toEqual(Array(30).fill(201))
  })
})

describe('the last use of a token', () => {
  const lastUse = async () => {
    const [row] = await ctx.db`select last_used_at from tokens where principal_id = ${flooding.id}`
    return row?.last_used_at
  }

  test('is left out while another session has locked the token', async () => {
    const row = (tx: Transaction) => tx`select 1 from tokens where principal_id = ${flooding.id} for update`
    await whileLocked(row, async () => {
      const reads = flood(30, () => flooder.get('/v1/me'))
      expect(await reads.statuses()).toEqual(Array(30).fill(200))
      await expectReadsOfOthers()
      expect(await lockWaits()).toBe(0)
    })
    expect(await lastUse()).toBeNull()
    await flooder.get('/v1/me')
    await eventually('the last use is written', async () => (await lastUse()) !== null)
  })

  test('is written by one request at a time', async () => {
    const table = (tx: Transaction) => tx`lock table tokens in share row exclusive mode`
    await whileLocked(table, async () => {
      const reads = flood(30, () => flooder.get('/v1/me'))
      expect(await reads.statuses()).toEqual(Array(30).fill(200))
      await lockWaitsReach(1)
      await expectReadsOfOthers()
      expect(await lockWaits()).toBe(1)
    })
    await eventually('the last use is written', async () => (await lastUse()) !== null)
  })
})

describe('the entries of one caller’s refusals', () => {
  const refused = () => flooder.delete(`/v1/members/${ada.id}`)
  const counted = async () => {
    const [row] = await ctx.db<{ sum: number }[]>`
      select sum(count)::int as sum from audit_entries
      where actor_id = ${flooding.id} and event_type = 'member.delete_refused'`
    return row?.sum
  }

  test('wait for the organisation’s row one at a time, and are all counted', async () => {
    const row = (tx: Transaction) => tx`select 1 from organisations for update`
    await floodAs('developer')
    let refusals = flood(0, refused)
    await whileLocked(row, async () => {
      refusals = flood(30, refused)
      await lockWaitsReach(1)
      await expectReadsOfOthers()
      expect(await lockWaits()).toBe(1)
    })
    expect(await refusals.statuses()).toEqual(Array(30).fill(403))
    expect(await counted()).toBe(30)
  })

  test('are given up after the wait, with a line in the log, and the answers stand', async () => {
    await floodAs('developer')
    const before = lines.length
    await whileLocked(
      (tx) => tx`select 1 from organisations for update`,
      async () => {
        expect(await flood(10, refused).statuses()).toEqual(Array(10).fill(403))
      },
    )
    // After the first line, one a second tells how many more there were.
    const told = () =>
      lines
        .slice(before)
        .filter((line) => line.includes('refusal could not be written'))
        .reduce((sum, line) => sum + 1 + (JSON.parse(line).suppressed ?? 0), 0)
    await eventually('every entry that was given up is told of', () => told() === 10)
  }, 60_000)

  test('leave connections to others even beside its reads of the log and its changes', async () => {
    const other = await member(ctx, 'developer')
    const role = { name: 'Beside', permissions: { permissions: {}, app_permissions: {} } }
    const { id } = (await flooder.post('/v1/roles', role)).body
    const sends = [
      // Refused before it is a change: access tokens create no tokens.
      () => flooder.post('/v1/tokens', { name: 'x' }),
      () => flooder.get('/v1/logs/audit'),
      (n: number) => flooder.put(`/v1/roles/${id}`, { name: `Beside ${n}` }),
    ]
    let requests = flood(0, refused)
    await whileLocked(
      (tx) => tx`lock table audit_entries in access exclusive mode`,
      async () => {
        requests = flood(90, (n) => sends[n % 3]?.(n) ?? refused())
        await lockWaitsReach(4)
        await expectReadsOfOthers()
        expect((await backend.as(other.token).get('/v1/me')).status).toBe(200)
      },
    )
    const answers = await requests.statuses()
    for (const [kind, status] of [403, 200, 200].entries())
      expect(answers.filter((_, n) => n % 3 === kind)).toEqual(Array(30).fill(status))
  })
})

describe('a flood without credentials', () => {
  /** How many requests of the flood are answered before a read of a caller that was accepted before. */
  async function answeredBefore(requests: ReturnType<typeof flood>) {
    expect((await admin.get('/v1/me')).status).toBe(200)
    const before = requests.answered()
    await requests.statuses()
    return before
  }

  test('of unknown tokens delays a caller of the same network by few look-ups', async () => {
    const requests = flood(1500, () => backend.as(newToken('pat')).get('/v1/me'))
    expect(await answeredBefore(requests)).toBeLessThan(300)
    // On a slow machine the last of them wait for too long.
    for (const status of await requests.statuses()) expect([401, 503]).toContain(status)
  }, 60_000)

  test('of requests that need none delays a caller of the same network by few of them', async () => {
    const requests = flood(1500, () => backend.anonymous.get('/service/auth/methods/'))
    expect(await answeredBefore(requests)).toBeLessThan(300)
    for (const status of await requests.statuses()) expect([200, 503]).toContain(status)
  }, 60_000)

  test('of one network lets another network in', async () => {
    const other = api(crowded, '198.51.100.7')
    const requests = flood(1500, () => backend.as(newToken('pat')).get('/v1/me'))
    expect((await other.as(await token(ctx, ada.id, 'pat')).get('/v1/me')).status).toBe(200)
    expect(requests.answered()).toBeLessThan(300)
    await requests.statuses()
  }, 60_000)
})
