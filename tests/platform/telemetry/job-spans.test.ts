import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createMailer } from '../../../src/platform/mail/mailer.ts'
import { startQueueWorker } from '../../../src/platform/queue/worker.ts'
import { startTracing } from '../../../src/platform/telemetry/open-telemetry.ts'
import { sendInvite } from '../../../src/worker/jobs/send-invite.ts'
import { startCollector } from '../../support/collector.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { recordedLog } from '../../support/log-recorder.ts'

const NEEDLE = '11111111-2222-4333-8444-555555555555'

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext()
})
afterAll(async () => {
  await ctx.db`delete from pgboss.job`
  await ctx.close()
})

test('a job is a span with its statements and calls, a failed one too, and looking for jobs is none', async () => {
  const { log } = recordedLog()
  const collector = startCollector()
  const stopTracing = startTracing(
    {
      url: `${collector.url}/v1/traces`,
      headers: {},
      ca: null,
      serviceName: null,
      attributes: {},
      sampler: { name: 'always_on', ratio: 1 },
    },
    { service: 'keyward-worker', version: 'v1', log },
  )
  const names = { from: 'a@example.org', fromName: '', subjectPrefix: '' }
  const gateway = { host: '127.0.0.1', port: 1, user: null, password: null, ca: null, ...names }
  const mailer = createMailer({ ...gateway, tls: 'none' })
  const job = {
    ...sendInvite(ctx),
    run: async () => {
      await ctx.db`select ${NEEDLE}::uuid`
      const text = 'needle'
      await mailer.send({ id: text, to: 'needle@example.org', subject: text, text, html: text })
    },
  }
  await ctx.queue.start()
  await ctx.db.begin((tx) => ctx.queue.send(tx, 'send-invite', { inviteId: NEEDLE }))
  const worker = await startQueueWorker({ db: ctx.db, log }, [job], { pollSeconds: 0.5 })
  const state = async () => (await ctx.db`select state from pgboss.job where name = 'send-invite'`)[0]?.state
  await eventually('the job has failed', async () => (await state()) === 'retry')
  await worker.stop({ graceSeconds: 1 })
  await mailer.close()
  await stopTracing()
  await collector.stop()

  const span = collector.spans.find(({ kind }) => kind === 5)
  expect(span).toMatchObject({
    name: 'process send-invite',
    parentSpanId: '',
    status: 2,
    attributes: { 'messaging.destination.name': 'send-invite', 'error.type': 'ESOCKET' },
  })
  const parts = collector.spans.filter(({ kind }) => kind === 3)
  expect(parts.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ['SELECT', span?.spanId ?? ''],
    ['SMTP send', span?.spanId ?? ''],
  ])
  expect(collector.spans).toHaveLength(3)
  const sent = collector.requests.map(({ text }) => text).join()
  for (const needle of ['needle', 'example.org', '127.0.0.1', NEEDLE]) expect(sent).not.toContain(needle)
})
