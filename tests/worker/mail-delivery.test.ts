import { afterEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { TestClock } from 'pg-boss'
import { QUEUED_JOBS } from '../../src/core/jobs.ts'
import { queueNotice } from '../../src/core/notices/notices.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createMailer } from '../../src/platform/mail/mailer.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { migrate, readMigrations } from '../../src/platform/postgres/migrate.ts'
import { createQueue } from '../../src/platform/queue/queue.ts'
import { schedule } from '../../src/worker/schedule.ts'
import { startWorker } from '../../src/worker/worker.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { cleanUp, databaseUrl, type Keyward, readyKeyward } from '../support/keyward.ts'
import { recordedLog } from '../support/log-recorder.ts'
import { user } from '../support/people.ts'
import { startRestartablePostgres } from '../support/restartable-postgres.ts'
import { CERTIFICATE, type ReceivedMail, type SmtpGateway, startGateway } from '../support/smtp-gateway.ts'

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
  await cleanUp()
})

type Tls = 'starttls' | 'tls'

const smtp = ({ port }: { port: number }, tls: Tls = 'starttls') => ({
  SMTP_HOST: 'localhost',
  SMTP_PORT: String(port),
  SMTP_TLS: tls,
  SMTP_CA: CERTIFICATE,
  SMTP_FROM: 'keyward@example.org',
})

async function gatewayWith(
  onMail: (mail: ReceivedMail) => unknown = () => {},
  options: Parameters<typeof startGateway>[0] = {},
): Promise<SmtpGateway> {
  const gateway = await startGateway({ onMail, ...options })
  undo.push(gateway.stop)
  return gateway
}

/** A context whose jobs are not done by itself. Closing it fails when one is left. */
async function contextFor(variables: Record<string, string>): Promise<TestContext> {
  const ctx = await testContext(variables)
  undo.push(async () => {
    // What a process schedules by the time of day is not what is tested.
    await ctx.db`delete from pgboss.job where name in ('remove-expired', 'remind-of-expiry')`
    await ctx.close()
  })
  return ctx
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** The worker as a process of its own. */
const workerProcess = (ctx: TestContext, variables: Record<string, string>): Promise<Keyward> =>
  readyKeyward({
    args: ['worker'],
    env: {
      DATABASE_URL: databaseUrl(ctx.database.config),
      HOST: 'localhost',
      SECRET_KEY: hex(ctx.config.secretKey),
      SERVER_SECRET: hex(ctx.config.serverSecret),
      ...variables,
    },
  })

/** A worker in this process, with a mailer of its own, on a clock that it is given. */
async function workerOn(ctx: TestContext, timers: TestClock) {
  const mailer = createMailer(ctx.config.smtp)
  const { log, lines } = recordedLog()
  const working = { ...ctx, mailer, log, timers }
  const jobs = schedule(working).filter(({ cron }) => cron === undefined)
  const worker = await startWorker(working, jobs, { pollSeconds: 0.5, graceSeconds: 1 })
  undo.push(async () => {
    await worker.stop()
    await mailer.close()
  })
  return { lines }
}

/** Queues a mail to as many accounts; gives their addresses. Sent whatever the time is, unlike a link. */
async function queueMails(ctx: TestContext, count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, () => `${randomUUID()}@example.org`)
  const userIds = await Promise.all(addresses.map((email) => user(ctx, email)))
  await ctx.queue.start()
  await ctx.db.begin(async (tx) => {
    for (const userId of userIds) await queueNotice(ctx, tx, userId, 'password-changed')
  })
  return addresses.toSorted()
}

const finished = async ({ db }: Pick<TestContext, 'db'>): Promise<boolean> =>
  (await db`select 1 from pgboss.job where name = 'send-notice' and state <> 'completed'`).length === 0

const addressesOf = (mails: readonly ReceivedMail[]) => mails.flatMap(({ to }) => to).sort()
const idsOf = (mails: readonly ReceivedMail[]) => mails.flatMap((mail) => mail.header('Message-ID'))

/**
 * Lets time pass as for a process that slept: what comes due meanwhile comes once, at its end. First what is being sent
 * comes to its end, which takes no time on this clock; what a killed worker began before does not.
 */
async function pass({ db }: Pick<TestContext, 'db'>, timers: TestClock, seconds: number): Promise<void> {
  await eventually('nothing is being sent', async () => {
    const [row] = await db`
      select count(*)::int as active from pgboss.job
      where name = 'send-notice' and state = 'active' and started_on > now() + interval '30 seconds'`
    return row?.active === 0
  })
  await skip(timers, seconds)
}

async function skip(timers: TestClock, seconds: number): Promise<void> {
  await timers.setTime(timers.now() + seconds * 1000)
  await timers.tick(1000)
}

/** Lets time pass in steps until every mail is sent. */
const passUntilSent = (ctx: Pick<TestContext, 'db'>, timers: TestClock, stepSeconds: number) =>
  eventually(
    'every mail is sent',
    async () => {
      await pass(ctx, timers, stepSeconds)
      return finished(ctx)
    },
    40,
  )

// Ahead of the database's own time, at which callers enqueue.
const clockAhead = () => new TestClock(Date.now() + 60_000)

test.each<Tls>(['starttls', 'tls'])(
  'over %s, a worker killed while the gateway takes a mail loses none, and sends that one twice under one Message-ID',
  async (tls) => {
    let worker: Keyward | undefined
    let killed: Promise<unknown> | undefined
    const gateway = await gatewayWith(
      async () => {
        // The gateway has the mail, and the worker will never hear of it.
        killed ??= worker?.stop('SIGKILL')
        await killed
      },
      { secure: tls === 'tls' },
    )
    const ctx = await contextFor(smtp(gateway, tls))
    const told = await queueMails(ctx, 3)
    worker = await workerProcess(ctx, smtp(gateway, tls))
    await eventually('the worker is killed', () => killed !== undefined)
    expect(await worker.exited).toBe('SIGKILL')
    expect(gateway.received).toHaveLength(1)
    const timers = clockAhead()
    await workerOn(ctx, timers)
    await passUntilSent(ctx, timers, 10)
    expect(gateway.received).toHaveLength(4)
    expect([...new Set(addressesOf(gateway.received))]).toEqual(told)
    expect(new Set(idsOf(gateway.received)).size).toBe(3)
    expect(gateway.received.every(({ secure }) => secure)).toBe(true)
    expect(worker.output()).not.toContain('@')
  },
  60_000,
)

test('a worker killed before the gateway has the mail loses none, and none is sent twice', async () => {
  let worker: Keyward | undefined
  let killed: Promise<unknown> | undefined
  const gateway = await gatewayWith(() => {}, {
    onRcptTo: (_address, _session, done) => {
      killed ??= worker?.stop('SIGKILL')
      done()
    },
  })
  const ctx = await contextFor(smtp(gateway))
  const told = await queueMails(ctx, 3)
  worker = await workerProcess(ctx, smtp(gateway))
  await eventually('the worker is killed', () => killed !== undefined)
  await worker.exited
  const timers = clockAhead()
  await workerOn(ctx, timers)
  await passUntilSent(ctx, timers, 10)
  expect(addressesOf(gateway.received)).toEqual(told)
}, 60_000)

test('two workers at once send each mail once', async () => {
  const gateway = await gatewayWith(() => Bun.sleep(20))
  const ctx = await contextFor(smtp(gateway))
  const told = await queueMails(ctx, 20)
  const workers = await Promise.all([1, 2].map(() => workerProcess(ctx, smtp(gateway))))
  await eventually('every job is done', () => finished(ctx), 20)
  expect(addressesOf(gateway.received)).toEqual(told)
  expect(new Set(idsOf(gateway.received)).size).toBe(20)
  expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0])
}, 60_000)

test('with the gateway down for an hour nothing is lost, and every mail is sent once when it is back', async () => {
  const port = freePort()
  const ctx = await contextFor(smtp({ port }))
  const told = await queueMails(ctx, 3)
  const timers = clockAhead()
  const { lines } = await workerOn(ctx, timers)
  for (let minute = 0; minute < 60; minute++) {
    await pass(ctx, timers, 59)
  }
  await pass(ctx, timers, 0)
  const tried = await ctx.db<{ state: string; retry_count: number }[]>`
    select state::text, retry_count from pgboss.job where name = 'send-notice'`
  expect(tried.map(({ state }) => state)).toEqual(['retry', 'retry', 'retry'])
  for (const { retry_count } of tried) expect(retry_count).toBeWithin(5, 12)
  const gateway = await startGateway({}, port)
  undo.push(gateway.stop)
  await passUntilSent(ctx, timers, 59)
  expect(addressesOf(gateway.received)).toEqual(told)
  expect(lines.join()).not.toContain('@')
  expect(lines.join()).toContain('A job failed and will be tried again')
}, 60_000)

test('with the database restarted while a mail is sent nothing is lost, and that one at most is sent twice', async () => {
  const server = await startRestartablePostgres()
  undo.push(() => server.remove())
  const db = openDatabase(server.config)
  undo.push(() => db.end({ timeout: 1 }))
  const { log } = recordedLog()
  await migrate(db, await readMigrations(), { log, clock: systemClock })
  const [sending, restarted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const gateway = await gatewayWith(async () => {
    sending.resolve()
    await restarted.promise
  })
  const base = await contextFor(smtp(gateway))
  const queue = createQueue({ db, log }, QUEUED_JOBS)
  await queue.start()
  undo.push(() => queue.stop())
  const ctx: TestContext = { ...base, db, queue }
  const told = await queueMails(ctx, 3)
  const timers = clockAhead()
  await workerOn(ctx, timers)
  await timers.tick(1000)
  await sending.promise
  await server.stop()
  restarted.resolve()
  await Bun.sleep(500)
  await server.start()
  const isFinished = async () => {
    await skip(timers, 5)
    return finished(ctx).catch(() => false)
  }
  await eventually('every mail is sent', isFinished, 40)
  expect([...new Set(addressesOf(gateway.received))]).toEqual(told)
  expect(new Set(idsOf(gateway.received)).size).toBe(3)
  expect(gateway.received.length).toBeWithin(3, 5)
}, 60_000)
