import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { SEND_INVITE } from '../../src/core/jobs.ts'
import { schedule } from '../../src/worker/schedule.ts'
import { type TestContext, testContext, testSecrets } from '../support/context.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { cleanUp, databaseUrl, type Keyward, ready } from '../support/keyward.ts'
import { call, register, signIn } from '../support/keyward-api.ts'
import { startBackend } from '../support/runtimes.ts'
import { type SmtpGateway, startGateway } from '../support/smtp-gateway.ts'
import { readWranglerConfig } from '../support/workerd.ts'

let ctx: TestContext
let gateway: SmtpGateway
let worker: Keyward
const timerPort = freePort()

const start = (env: Record<string, string> = {}) =>
  startBackend('workerd', { DATABASE_URL: databaseUrl(ctx.database.config), ...testSecrets, ...env })

/** Has the Worker's timer go off, as the platform does by one of its schedules. */
const tick = async (cron = '* * * * *') => {
  const answer = await fetch(`http://127.0.0.1:${timerPort}/?cron=${encodeURIComponent(cron)}`)
  expect(await answer.text()).toBe('ok')
}

beforeAll(async () => {
  ctx = await testContext()
  gateway = await startGateway()
  worker = await start({
    TIMER_PORT: String(timerPort),
    // By number: workerd asks a name server of the internet for names.
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(gateway.port),
    SMTP_FROM: 'keyward@example.org',
    SMTP_TLS: 'none',
  })
  await ready(worker)
}, 60_000)
afterAll(async () => {
  await cleanUp()
  await gateway.stop()
  await ctx.database.db`delete from pgboss.job`
  await ctx.close()
})

test('a Worker registers the first account, signs it in with its password, and serves it', async () => {
  expect((await register(worker)).status).toBe(201)
  const { status, body } = await signIn(worker)
  expect(status).toBe(200)
  const roles = await call(worker, 'GET', '/v1/roles', { token: body.accessToken })
  expect((roles.body.data as { name: string }[]).map(({ name }) => name)).toContain('Owner')
  expect((await call(worker, 'GET', '/v1/roles')).status).toBe(401)
})

test('a Worker serves the console from its assets, with the headers that protect browsers', async () => {
  const page = await fetch(`${worker.url}/members`)
  const html = await page.text()
  const script = /src="(\/assets\/index-[a-z0-9]+\.js)"/.exec(html)?.[1]
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
  expect(page.headers.get('cache-control')).toBe('no-cache')
  const asset = await fetch(worker.url + script)
  expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(asset.headers.get('x-frame-options')).toBe('DENY')
  expect((await asset.text()).length).toBeGreaterThan(10_000)
  expect((await fetch(`${worker.url}/config.json`)).status).toBe(200)
  for (const path of ['/nothing', '/assets/', '/assets/none.js', '/index.html.br', '/..%2fpackage.json']) {
    const { status, headers } = await fetch(worker.url + path)
    expect([path, status, headers.get('x-content-type-options')]).toEqual([path, 404, 'nosniff'])
  }
})

test('the build of the Worker puts everything where wrangler looks for it', async () => {
  const folder = join(import.meta.dir, '../../src/edge')
  const { main, assets, build } = await readWranglerConfig()
  const command = Bun.spawn(build.command.split(' '), { cwd: join(folder, build.cwd), stdout: 'ignore' })
  expect(await command.exited).toBe(0)
  expect(await Bun.file(join(folder, main)).exists()).toBe(true)
  const names = await readdir(join(folder, assets.directory), { recursive: true })
  expect(names).toContain('index.html')
  expect(names.filter((name) => name.endsWith('.br'))).toEqual([])
})

test('what is written after an answer is written on a Worker, too', async () => {
  const body = { email: 'ada@example.org', password: 'not the right one' }
  expect((await call(worker, 'POST', '/service/auth/password/login/', { body })).status).toBe(401)
  const entries = () => ctx.db`select 1 from audit_entries where event_type = 'user.sign_in_failed'`
  await eventually('the entry of a failed sign-in', async () => (await entries()).length === 1, 10)
})

test('requests at once disturb each other on a Worker as little as elsewhere', async () => {
  const { body } = await signIn(worker)
  const paths = ['/v1/roles', '/v1/members', '/v1/apps', '/service/ready/', '/swagger/json']
  const all = Array.from({ length: 20 }, (_, index) => paths[index % paths.length] ?? '')
  const answers = await Promise.all(all.map((path) => call(worker, 'GET', path, { token: body.accessToken })))
  expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200))
})

describe('the scheduled work of a Worker', () => {
  test('comes at the times of every job', async () => {
    const due = schedule(ctx).flatMap(({ cron }) => cron ?? [])
    const { triggers } = await readWranglerConfig()
    expect(triggers.crons.toSorted()).toEqual([...new Set(['* * * * *', ...due])].sort())
  })

  test('sends the mails that wait, once', async () => {
    const { body } = await signIn(worker)
    const [role] = await ctx.db`select id from roles where kind = 'developer'`
    const invite = { email: 'grace@example.org', role_id: role?.id }
    const created = await call(worker, 'POST', '/v1/members/invites', {
      token: body.accessToken,
      body: invite,
    })
    expect(created.status).toBe(201)
    const mails = () => gateway.received.filter(({ to }) => to.includes('grace@example.org'))
    expect(mails()).toHaveLength(0)
    await tick()
    await eventually('the mail is sent', () => mails().length > 0, 10)
    await tick()
    expect(mails()).toHaveLength(1)
  })

  test('puts what cannot be read to the dead letters, and does not try it again', async () => {
    await ctx.queue.start()
    const [job] = await ctx.db`
      insert into pgboss.job (name, data, retry_limit, dead_letter)
      values (${SEND_INVITE.name}, ${ctx.db.json({ inviteId: 7 })}, 12, 'dead-letter') returning id`
    await tick()
    const left = await ctx.db`select state from pgboss.job where id = ${job?.id}`
    expect(left.map(({ state }) => state)).toEqual(['failed'])
    const dead = await ctx.db`select data from pgboss.job where name = 'dead-letter'`
    expect(dead.map(({ data }) => data)).toEqual([{ inviteId: 7 }])
  })

  test('runs what is due by the schedule that went off, and nothing else', async () => {
    await tick('*/10 * * * *')
    const done =
      await ctx.db`select name, state from pgboss.job where name in ('remove-expired', 'remind-of-expiry')`
    expect([...done]).toEqual([{ name: 'remove-expired', state: 'completed' }])
  })
})

test('a Worker with another SERVER_SECRET answers 503 and logs why, but says that it lives', async () => {
  const other = await start({ SERVER_SECRET: 'c'.repeat(64) })
  await ready(other)
  for (let n = 0; n < 3; n++) {
    const { status, body } = await call(other, 'GET', '/v1/roles')
    expect({ status, body }).toEqual({
      status: 503,
      body: { error: 'Keyward cannot serve at the moment. The log says why.' },
    })
  }
  expect((await call(other, 'GET', '/service/health/')).status).toBe(200)
  expect(other.output()).toContain('SERVER_SECRET is not the one')
  expect(other.output()).not.toContain('Uncaught')
  expect(other.output()).not.toContain('c'.repeat(64))
  await other.stop()
}, 60_000)

test.each([
  ['RATE_LIMIT_DEFAULT without Upstash', { RATE_LIMIT_DEFAULT: '120/min' }, 'needs UPSTASH_REDIS_REST_URL'],
  ['a Redis', { REDIS_URL: 'redis://:secret@127.0.0.1:6379' }, 'cannot be used on Workers'],
  ['no HOST', { HOST: '' }, 'HOST is not set'],
])(
  'a Worker with %s answers 503, and the log says what is wrong',
  async (_, env, reason) => {
    const wrong = await start(env as Record<string, string>)
    await eventually(
      'it answers',
      async () => (await fetch(`${wrong.url}/v1/roles`).catch(() => null))?.status === 503,
      20,
    )
    expect(wrong.output()).toContain(reason)
    expect(wrong.output()).not.toContain('secret@')
    await wrong.stop()
  },
  60_000,
)

test('where passwords cannot be hashed, methods says so, and the routes that need one answer 501', async () => {
  const without = await start({ PASSWORD_HASHING: 'false' })
  await ready(without)
  expect((await call(without, 'GET', '/service/auth/methods/')).body).toMatchObject({ password: false })
  for (const answer of [await register(without), await signIn(without)]) {
    expect(answer.status).toBe(501)
    expect(answer.body.error).toContain('hashes no passwords')
  }
  await without.stop()
}, 60_000)
