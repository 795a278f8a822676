import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { linkToken } from '../../../src/core/links/link.ts'
import { type Answer, api } from '../../support/api.ts'
import { entriesAbout, trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { jobCalled, lastLink, runJobs } from '../../support/jobs.ts'
import { owner, session, user } from '../../support/people.ts'

const AUTH = '/service/auth'
const SMTP = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org', RATE_LIMIT_AUTH: 'off' }
const PASSWORD = 'correct horse'

let ctx: TestContext
let client: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext(SMTP)
  client = api(ctx)
  await owner(ctx)
})
afterEach(() => runJobs(ctx))
afterAll(() => ctx.close())

const post = (path: string, body: unknown): Promise<Answer> => client.anonymous.post(`${AUTH}/${path}`, body)
const address = () => `${randomUUID()}@example.org`
const login = async (email: string, password: string) =>
  (await post('password/login/', { email, password })).status
const sentTo = (email: string) => ctx.mailer.sent.filter(({ to }) => to === email)
const flipped = (token: string) => token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.slice(-1)

/** A new account that awaits verification, and the token that was mailed to it. */
async function registered() {
  const email = address()
  const { body } = await post('password/register/', { email, password: PASSWORD })
  await runJobs(ctx)
  return { email, userId: body.user.id as string, token: lastLink(ctx).token }
}

/** A verified account with a password, and a token that sets another one. */
async function forgetful() {
  const { email, userId, token: verification } = await registered()
  await post('email/verify/', { token: verification })
  await post('password/forgot/', { email })
  await runJobs(ctx)
  return { email, userId, token: lastLink(ctx).token }
}

describe('Registration where a mail gateway is configured', () => {
  test('mails the link, and there is no sign-in before it is followed', async () => {
    const email = address()
    const { status, body } = await post('password/register/', { email, password: PASSWORD })
    expect([status, body.verificationRequired]).toEqual([201, true])
    expect(await runJobs(ctx)).toEqual(['send-verification'])
    const { to, url, token } = lastLink(ctx)
    expect([to, url]).toEqual([email, 'http://localhost/verify-email'])
    expect(await login(email, PASSWORD)).toBe(403)
    expect(await post('email/verify', { token })).toMatchObject({ status: 204, body: '' })
    expect(await login(email, PASSWORD)).toBe(200)
  })

  test('a refused one enqueues nothing', async () => {
    const { email } = await registered()
    expect((await post('password/register/', { email, password: PASSWORD })).status).toBe(409)
    expect(await runJobs(ctx)).toEqual([])
  })

  test('the job holds the link’s id alone, and the token stands nowhere in the database', async () => {
    await post('password/register/', { email: address(), password: PASSWORD })
    const [job] = await ctx.db`select data::text from pgboss.job`
    expect(JSON.parse(job?.data)).toEqual({ linkId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    await runJobs(ctx)
    const { token } = lastLink(ctx)
    const rows = await ctx.db`select id, user_id, purpose, encode(nonce, 'base64') as nonce from email_links`
    expect(JSON.stringify(rows)).not.toContain(token.slice(32))
    expect(await trailAsText(ctx)).not.toContain(token.slice(32))
  })
})

describe('POST /service/auth/email/verify', () => {
  test('is good once, for 24 hours, and writes one audit entry', async () => {
    const { userId, token } = await registered()
    ctx.clock.advance(24 * 3600 - 1)
    expect((await post('email/verify/', { token })).status).toBe(204)
    expect(await post('email/verify/', { token })).toMatchObject({
      status: 404,
      body: { error: 'Link not found.' },
    })
    const about = (await entriesAbout(ctx, userId)).map((entry) => entry.event_type)
    expect(about.filter((type) => type === 'user.email_verified')).toHaveLength(1)
    expect(await trailAsText(ctx)).not.toContain('@example.org')
  })

  test('is 404 for a token that is malformed, unknown, altered, expired or of another purpose', async () => {
    const { token } = await registered()
    const { token: reset } = await forgetful()
    const { token: late } = await registered()
    expect((await post('email/verify/', { token: 'x' })).status).toBe(404)
    const unknown = linkToken(ctx, 'verify-email', { id: randomUUID(), nonce: new Uint8Array(32) })
    expect((await post('email/verify/', { token: unknown })).status).toBe(404)
    expect((await post('email/verify/', { token: flipped(token) })).status).toBe(404)
    expect((await post('email/verify/', { token: reset })).status).toBe(404)
    ctx.clock.advance(24 * 3600)
    expect((await post('email/verify/', { token: late })).status).toBe(404)
  })

  test('followed twice at once it is 204 and 404', async () => {
    for (let round = 0; round < 4; round++) {
      const { token } = await registered()
      const answers = await Promise.all([
        post('email/verify/', { token }),
        api(ctx).anonymous.post(`${AUTH}/email/verify/`, { token }),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404])
    }
  })
})

describe('POST /service/auth/email/resend', () => {
  test('mails another link, at most one a minute and five at a time, of which any is good', async () => {
    const { email, token } = await registered()
    expect((await post('email/resend/', { email })).status).toBe(204)
    expect(await runJobs(ctx)).toEqual([])
    for (let minute = 0; minute < 6; minute++) {
      ctx.clock.advance(60)
      expect((await post('email/resend/', { email: email.toUpperCase() })).status).toBe(204)
      await runJobs(ctx)
    }
    expect(sentTo(email)).toHaveLength(5)
    expect((await post('email/verify/', { token })).status).toBe(204)
    expect((await post('email/verify/', { token: lastLink(ctx).token })).status).toBe(404)
  })

  test('answers alike for a verified and an unknown address, and mails nothing', async () => {
    const email = address()
    await user(ctx, email)
    for (const to of [email, address()]) {
      expect(await post('email/resend/', { email: to })).toMatchObject({ status: 204, body: '' })
    }
    expect(await runJobs(ctx)).toEqual([])
  })

  test('asked for many times at once it mails one link', async () => {
    const { email } = await registered()
    ctx.clock.advance(60)
    await Promise.all(Array.from({ length: 6 }, () => post('email/resend/', { email })))
    expect(await runJobs(ctx)).toEqual(['send-verification'])
  })

  test('its job mails nothing once the address is verified', async () => {
    const { email, token } = await registered()
    ctx.clock.advance(60)
    await post('email/resend/', { email })
    await post('email/verify/', { token })
    expect(await runJobs(ctx)).toEqual(['send-verification'])
    expect(sentTo(email)).toHaveLength(1)
  })
})

describe('POST /service/auth/password/forgot and reset', () => {
  test('set a new password, end all sessions, and write one audit entry', async () => {
    const { email, userId, token } = await forgetful()
    const bearer = await session(ctx, userId)
    expect(lastLink(ctx).url).toBe('http://localhost/reset-password')
    expect(await post('password/reset', { token, new_password: 'battery staple' })).toMatchObject({
      status: 204,
      body: '',
    })
    expect([await login(email, PASSWORD), await login(email, 'battery staple')]).toEqual([401, 200])
    expect((await client.as(bearer).get('/v1/me')).status).toBe(401)
    const about = (await entriesAbout(ctx, userId)).map((entry) => entry.event_type)
    expect(about.filter((type) => type === 'user.password_reset')).toHaveLength(1)
    expect(await runJobs(ctx)).toEqual(['send-notice'])
    expect(ctx.mailer.sent.at(-1)).toMatchObject({ to: email, subject: 'Your password was changed' })
  })

  test('a reset verifies the address of an account that awaited it, and the audit log tells of it once', async () => {
    const { email, userId } = await registered()
    for (const new_password of ['battery staple', 'another battery']) {
      await post('password/forgot/', { email })
      await runJobs(ctx)
      await post('password/reset/', { token: lastLink(ctx).token, new_password })
      expect(await login(email, new_password)).toBe(200)
    }
    const about = (await entriesAbout(ctx, userId)).map((entry) => entry.event_type)
    expect(about.filter((type) => type === 'user.email_verified')).toHaveLength(1)
  })

  test('a link is good once and for an hour, and a retried mail carries the same one', async () => {
    const { email, userId, token } = await forgetful()
    const [link] =
      await ctx.db`select id from email_links where user_id = ${userId} and purpose = 'reset-password'`
    await jobCalled(ctx, 'send-password-reset').run(
      { linkId: link?.id },
      new AbortController().signal,
      randomUUID(),
    )
    expect(sentTo(email).map(({ text }) => text.includes(token))).toEqual([false, true, true])
    ctx.clock.advance(3600)
    const late = await post('password/reset/', { token, new_password: 'battery staple' })
    expect(late).toMatchObject({ status: 404, body: { error: 'Link not found.' } })
    expect(await login(email, PASSWORD)).toBe(200)
  })

  test('the mail says what becomes of sessions and personal access tokens', async () => {
    await forgetful()
    expect(ctx.mailer.sent.at(-1)?.text).toContain(
      'A new password ends all your sessions. Your personal access tokens keep working unless you revoke them.',
    )
  })

  test('a link from a time when the clock was far ahead is good no more, and stands in the way of none', async () => {
    const { email } = await forgetful()
    ctx.clock.advance(365 * 24 * 3600)
    for (let i = 0; i < 5; i++, ctx.clock.advance(60)) {
      await post('password/forgot/', { email })
      await runJobs(ctx)
    }
    const { token } = lastLink(ctx)
    ctx.clock.advance(-365 * 24 * 3600)
    expect((await post('password/reset/', { token, new_password: 'battery staple' })).status).toBe(404)
    await post('password/forgot/', { email })
    await runJobs(ctx)
    const { token: good } = lastLink(ctx)
    expect((await post('password/reset/', { token: good, new_password: 'battery staple' })).status).toBe(204)
  })

  test('one reset, and one change of the password, void all links', async () => {
    const { email, userId, token } = await forgetful()
    const again = async () => {
      ctx.clock.advance(60)
      await post('password/forgot/', { email })
      await runJobs(ctx)
      return lastLink(ctx).token
    }
    const second = await again()
    const reset = (token: string) => post('password/reset/', { token, new_password: 'battery staple' })
    expect((await reset(token)).status).toBe(204)
    expect((await reset(token)).status).toBe(404)
    expect((await reset(second)).status).toBe(404)
    const third = await again()
    const bearer = await session(ctx, userId)
    const change = { current_password: 'battery staple', new_password: 'something else' }
    expect((await client.as(bearer).post(`${AUTH}/password/change/`, change)).status).toBe(204)
    expect((await reset(third)).status).toBe(404)
  })

  test('followed twice at once it is 204 and 404', async () => {
    for (let round = 0; round < 4; round++) {
      const { email, token } = await forgetful()
      const passwords = ['battery staple', 'another battery']
      const answers = await Promise.all(
        passwords.map((new_password) =>
          api(ctx).anonymous.post(`${AUTH}/password/reset/`, { token, new_password }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404])
      const signIns = await Promise.all(passwords.map((password) => login(email, password)))
      expect(signIns).toEqual(answers.map(({ status }) => (status === 204 ? 200 : 401)))
    }
  })

  test('requests for one address at once don’t wait for each other, which would tell that it has an account', async () => {
    const { email, userId } = await forgetful()
    ctx.clock.advance(60)
    const before = ctx.mailer.sent.length
    const { answers } = await ctx.db.begin(async (tx) => {
      await tx`select 1 from users where id = ${userId} for update`
      const answers = Promise.all(Array.from({ length: 8 }, () => post('password/forgot/', { email })))
      await Bun.sleep(300)
      const waiting = await ctx.db`
        select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      expect(waiting).toHaveLength(1)
      return { answers }
    })
    expect((await answers).map(({ status }) => status)).toEqual(Array(8).fill(204))
    await runJobs(ctx)
    expect(ctx.mailer.sent.length).toBe(before + 1)
  })

  test('mails of members come before those of strangers, who may have many accounts', async () => {
    const strangers = await Promise.all([forgetful(), forgetful()])
    ctx.clock.advance(60)
    const [ada] = await ctx.db<
      { email: string }[]
    >`select email from users join members on user_id = users.id`
    const sent = ctx.mailer.sent.length
    for (const email of [...strangers.map(({ email }) => email), ada?.email]) {
      expect((await post('password/forgot/', { email })).status).toBe(204)
    }
    await runJobs(ctx)
    const [first, ...others] = ctx.mailer.sent.slice(sent).map(({ to }) => to)
    expect(first).toBe(ada?.email as string)
    expect(others.sort()).toEqual(strangers.map(({ email }) => email).sort())
  })

  test('forgot answers alike for an unknown address, and mails nothing', async () => {
    const before = ctx.mailer.sent.length
    expect(await post('password/forgot/', { email: address() })).toMatchObject({ status: 204, body: '' })
    expect(await runJobs(ctx)).toEqual([])
    expect(ctx.mailer.sent).toHaveLength(before)
  })

  test('a verification link sets no password', async () => {
    const { token } = await registered()
    expect((await post('password/reset/', { token, new_password: 'battery staple' })).status).toBe(404)
  })
})

test.each([
  ['password/forgot/', {}],
  ['password/forgot/', { email: 'nobody' }],
  ['password/forgot/', { email: 'a@example.org', token: 'x' }],
  ['email/resend/', { email: 5 }],
  ['email/verify/', { token: 5 }],
  ['email/verify/', {}],
  ['password/reset/', { token: 'x' }],
  ['password/reset/', { token: 'x', new_password: 'short' }],
  ['password/reset/', { token: 'x', new_password: 'battery staple', revoke_tokens: 'true' }],
  ['password/reset/', { token: 'x', new_password: 'battery staple', revoke_tokens: null }],
  ['password/reset/', { token: 'x', new_password: 'battery staple', email: 'a@example.org' }],
])('POST /service/auth/%s refuses %j', async (path, body) => {
  expect((await post(path, body)).status).toBe(400)
})

test.each(['password/forgot/', 'password/reset/', 'email/verify/', 'email/resend/'])(
  'POST /service/auth/%s is for the service’s own pages, and JSON alone',
  async (path) => {
    const foreign = { 'content-type': 'application/json', origin: 'https://evil.example' }
    const url = `${AUTH}/${path}`
    expect((await client.anonymous.send('POST', url, { body: '{}', headers: foreign })).status).toBe(403)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await client.anonymous.send('POST', url, { body: 'a=b', headers: form })).status).toBe(415)
  },
)

test.each(['password/forgot/', 'email/resend/'])(
  'POST /service/auth/%s takes a fixed time, whether or not there is such an account',
  async (path) => {
    const { email } = await registered()
    ctx.clock.advance(60)
    for (const to of [email, address()]) {
      const start = performance.now()
      await post(path, { email: to })
      expect(performance.now() - start).toBeGreaterThan(45)
    }
    expect(await runJobs(ctx)).toHaveLength(1)
  },
)

test('without a mail gateway asking for a link does nothing but answer', async () => {
  const without = await testContext()
  const email = address()
  await user(without, email)
  for (const path of ['password/forgot/', 'email/resend/']) {
    const answer = await api(without).anonymous.post(`${AUTH}/${path}`, { email })
    expect(answer).toMatchObject({ status: 204, body: '' })
  }
  expect(await without.db`select 1 from email_links`).toHaveLength(0)
  await without.close()
})

test('with password authentication off the password routes are 403, whatever the body; the others are open', async () => {
  const without = await testContext({ ...SMTP, ENABLE_PASSWORD_AUTH: 'false' })
  for (const path of ['password/forgot/', 'password/reset/']) {
    const answer = await api(without).anonymous.send('POST', `${AUTH}/${path}`, { body: '{' })
    expect(answer).toMatchObject({ status: 403, body: { error: 'Password authentication is switched off.' } })
  }
  expect((await api(without).anonymous.post(`${AUTH}/email/verify/`, { token: 'x' })).status).toBe(404)
  await without.close()
})
