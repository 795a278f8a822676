import { afterAll, beforeAll, expect, test } from 'bun:test'
import { MEASURED_JOBS, QUEUED_JOBS } from '../../../src/core/jobs.ts'
import { createMetrics } from '../../../src/platform/metrics.ts'
import { queueDepth } from '../../../src/platform/queue/depth.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { owner } from '../../support/people.ts'
import { login, newEmail, register } from '../../support/sign-in.ts'

const MAIL = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' }

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  await owner(ctx)
})
afterAll(() => ctx.close())

/** A service with metrics of its own, and what they count; times are left out. */
function measured(environment: Record<string, string> = {}) {
  const metrics = createMetrics()
  const config = testConfig({ RATE_LIMIT_AUTH: 'off', ...environment })
  const depth = queueDepth(ctx.db, MEASURED_JOBS)
  return {
    service: api({ ...ctx, config, metrics }),
    counts: async () =>
      (metrics.text() + (await depth())).split('\n').filter((line) => !line.includes('duration_seconds')),
    signIns: (): string[] => [...(metrics.text().match(/^keyward_sign_ins_total.* [^0].*$/gm) ?? [])],
  }
}

const counted = (outcome: string, count = 1) => [
  `keyward_sign_ins_total{method="password",outcome="${outcome}"} ${count}`,
]

test('a sign-in is counted by how it ended', async () => {
  const email = newEmail()
  const ok = measured()
  await register(ok.service, { email })
  expect(ok.signIns()).toEqual([])
  await login(ok.service, email)
  expect(ok.signIns()).toEqual(counted('ok'))

  const failed = measured()
  for (const each of [email, newEmail()]) await login(failed.service, each, 'wrong password')
  expect(failed.signIns()).toEqual(counted('failed', 2))

  const refused = measured(MAIL)
  const unverified = newEmail()
  await register(refused.service, { email: unverified })
  await login(refused.service, unverified)
  expect(refused.signIns()).toEqual(counted('refused'))

  const limited = measured({ RATE_LIMIT_AUTH: '1/min' })
  await login(limited.service, newEmail(), 'wrong password')
  const again = newEmail()
  for (let n = 0; n < 2; n++) await login(limited.service, again, 'wrong password')
  expect(limited.signIns()).toEqual([...counted('failed', 2), ...counted('limited')])
  await ctx.db`delete from pgboss.job`
})

test.each([
  ['a wrong password', 'login', { password: 'wrong password' }],
  ['a request for a new password', 'forgot', {}],
])('no count tells whether an address has an account: %s', async (_, path, more) => {
  const known = newEmail()
  await register(measured().service, { email: known })
  const after = async (email: string) => {
    const { service, counts } = measured(MAIL)
    await service.anonymous.unrecorded.post(`/service/auth/password/${path}/`, { email, ...more })
    return await counts()
  }
  const [ofAccount, ofNobody] = [await after(known), await after(newEmail())]
  expect(ofAccount).toEqual(ofNobody)
  expect(ofAccount.length).toBeGreaterThan(10)
  await ctx.db`delete from pgboss.job`
})

test('no count tells whether an address awaits its verification', async () => {
  const unverified = newEmail()
  await register(measured(MAIL).service, { email: unverified })
  ctx.clock.advance(120)
  const after = async (email: string) => {
    const { service, counts } = measured(MAIL)
    await service.anonymous.unrecorded.post('/service/auth/email/resend/', { email })
    return await counts()
  }
  expect(await after(unverified)).toEqual(await after(newEmail()))
  const [job] = await ctx.db`select count(*)::int as count from pgboss.job where name = 'send-verification'`
  expect(job?.count).toBe(2)
  await ctx.db`delete from pgboss.job`
})

test('every kind of job is measured or said not to be', () => {
  const left = QUEUED_JOBS.map(({ name }) => name).filter((name) => !MEASURED_JOBS.includes(name))
  expect(left).toEqual(['send-verification', 'send-password-reset'])
})
