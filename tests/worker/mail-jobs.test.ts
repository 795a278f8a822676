import { expect, test } from 'bun:test'
import { QUEUED_JOBS } from '../../src/core/jobs.ts'
import { MAIL_SECONDS } from '../../src/platform/mail/mailer.ts'
import { schedule } from '../../src/worker/schedule.ts'
import { startWorker } from '../../src/worker/worker.ts'
import { api } from '../support/api.ts'
import { testContext } from '../support/context.ts'
import { eventually } from '../support/eventually.ts'
import { lastLink } from '../support/jobs.ts'
import { owner, roleOf } from '../support/people.ts'

const SMTP = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' }

test('the worker does every job that use cases enqueue, as they define it', async () => {
  const ctx = await testContext()
  const jobs = new Map(schedule(ctx).map((job) => [job.name, job]))
  for (const definition of QUEUED_JOBS) expect(jobs.get(definition.name)).toMatchObject(definition)
  await ctx.close()
})

test('a mail is given up before the time of its job is over, when another worker would send it too', () => {
  for (const { expireSeconds } of QUEUED_JOBS) expect(MAIL_SECONDS).toBeLessThan(expireSeconds)
})

test('a worker mails the invite that a request enqueued', async () => {
  const ctx = await testContext(SMTP)
  const ada = await owner(ctx)
  const sent = schedule(ctx).filter((job) => job.cron === undefined)
  const worker = await startWorker(ctx, sent, { pollSeconds: 0.5 })
  const body = { email: 'grace@example.org', role_id: (await roleOf(ctx, 'developer')).id }
  const { status } = await api(ctx).as(ada.token).post('/v1/members/invites', body)
  expect(status).toBe(201)
  await eventually('the mail is sent', () => ctx.mailer.sent.length > 0)
  expect(lastLink(ctx)).toMatchObject({ to: 'grace@example.org', url: 'http://localhost/invite' })
  await worker.stop()
  await ctx.close()
})
