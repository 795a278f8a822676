import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { changePassword } from '../../../src/core/accounts/password-change.ts'
import { authenticateSessionToken } from '../../../src/core/authentication/authenticate.ts'
import { PasswordsBusy, type PasswordTurn } from '../../../src/platform/password-turns.ts'
import { api } from '../../support/api.ts'
import { entriesAbout, trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { member, owner, user } from '../../support/people.ts'
import { raceFor } from '../../support/races.ts'
import { browser, cookieOf, login, newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  await owner(ctx)
})
afterAll(() => ctx.close())

/** The same database under another configuration. */
const configured = (environment: Record<string, string>, peerAddress?: string) =>
  api({ ...ctx, config: testConfig({ RATE_LIMIT_AUTH: 'off', ...environment }) }, peerAddress)
const MAIL = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' }
const paths = ['register', 'login', 'change'].map((name) => `/service/auth/password/${name}/`)

describe('POST /service/auth/password/register/', () => {
  test('creates a later account without a membership, which can sign in at once', async () => {
    const { status, body } = await register(service, {
      email: 'Grace@Example.org',
      full_name: ' Grace Example ',
    })
    expect(body).toEqual({
      user: {
        id: expect.any(String),
        email: 'Grace@Example.org',
        username: 'Grace@Example.org',
        fullName: 'Grace Example',
      },
      member: null,
      organisation: null,
      verificationRequired: false,
    })
    expect(status).toBe(201)
    const { token } = await signIn(service, 'grace@EXAMPLE.org')
    const refused = await service.as(token).get('/v1/roles')
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual({ error: 'You are not a member of an organisation.' })
    expect(await entriesAbout(ctx, body.user.id)).toContainEqual(
      expect.objectContaining({ event_type: 'user.registered', actor_id: body.user.id }),
    )
  })

  test('is 409 for an address that has an account, in whatever case', async () => {
    const email = newEmail()
    expect((await register(service, { email })).status).toBe(201)
    const { status, body } = await register(service, { email: email.toUpperCase() })
    expect(body).toEqual({ error: 'An account with this e-mail address already exists.' })
    expect(status).toBe(409)
  })

  test('of two registrations of one address at the same moment, one is made', async () => {
    const email = newEmail()
    const answers = await Promise.all([service, api(ctx), service].map((at) => register(at, { email })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  test.each([
    [{ email: 'nobody' }, /email must be an e-mail address/],
    [{ email: 'é@example.org' }, /email must be an e-mail address/],
    [
      { email: `${'x'.repeat(60)}@${'y'.repeat(60)}.${'z'.repeat(60)}.${'w'.repeat(60)}.${'v'.repeat(20)}` },
      /at most 254/,
    ],
    [{ password: 'short12' }, /password must have at least 8 characters/],
    [{ password: 'x'.repeat(1025) }, /password must have at most 1024 characters/],
    [{ password: undefined }, /password is required/],
    [{ full_name: 'x'.repeat(129) }, /full_name must have at most 128/],
    [{ full_name: null }, /full_name must be a string/],
    [{ organisation_name: ' ' }, /organisation_name is required/],
    [{ role: 'owner' }, /Unknown field "role"/],
  ])('is 400 for %j, without the password in the answer', async (body, sentence) => {
    const answer = await register(service, body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(sentence)
    expect(answer.body.error).not.toContain(PASSWORD)
  })

  test('is 404 for an invite that nobody sent, and leaves no account', async () => {
    const email = newEmail()
    expect((await register(service, { email, invite: 'junk' })).status).toBe(404)
    expect((await register(service, { email })).status).toBe(201)
  })

  test('with REGISTRATION=invite it is 403 without an invite and 404 with a bad one', async () => {
    const closed = configured({ REGISTRATION: 'invite' })
    const { status, body } = await register(closed)
    expect(body).toEqual({ error: 'Registration is by invite only.' })
    expect(status).toBe(403)
    expect((await register(closed, { invite: 'junk' })).status).toBe(404)
  })

  test('where mail can be sent a sign-in waits for the verified address', async () => {
    const mailing = configured(MAIL)
    const email = newEmail()
    const { status, body } = await register(mailing, { email })
    expect(status).toBe(201)
    expect(body.verificationRequired).toBe(true)
    const refused = await login(mailing, email)
    expect(refused.status).toBe(403)
    expect(refused.headers.get('set-cookie')).toBeNull()
    expect((await login(mailing, email, 'wrong password')).status).toBe(401)
    await ctx.db`update users set email_verified_at = ${ctx.clock.now()} where id = ${body.user.id}`
    expect((await login(mailing, email)).status).toBe(200)
    await ctx.db`delete from pgboss.job`
  })

  test('an account from before mail could be sent stays active', async () => {
    const email = newEmail()
    await register(service, { email })
    expect((await login(configured(MAIL), email)).status).toBe(200)
  })
})

describe('POST /service/auth/password/login/', () => {
  test('answers with a bearer, who it is, and the cookie', async () => {
    const email = newEmail()
    const registered = (await register(service, { email })).body
    const { status, body, headers } = await login(service, email)
    expect(status).toBe(200)
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^kw_ses_[0-9A-Za-z]{49}$/),
      expiresAt: '2026-01-01T00:15:00.000Z',
      user: registered.user,
      member: null,
      organisation: null,
    })
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^keyward_session=kw_ck_[0-9A-Za-z]{49}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^keyward_device=[\w.-]{77}; Path=\/service\/auth\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/,
      ),
    ])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('the cookies are Secure, and the session’s bound to the host, where the public origin is https', async () => {
    const email = newEmail()
    const secure = configured({
      HOST: 'https://keyward.example.org',
      ALLOWED_HOSTS: 'keyward.example.org,localhost',
    })
    await register(secure, { email })
    expect((await login(secure, email)).headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-keyward_session=kw_ck_[0-9A-Za-z]{49}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
      ),
      expect.stringMatching(
        /^__Secure-keyward_device=[\w.-]{77}; Path=\/service\/auth\/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ])
  })

  test('a wrong password, an unknown address and an account without a password get the same 401', async () => {
    const email = newEmail()
    const passwordless = newEmail()
    await register(service, { email })
    await user(ctx, passwordless)
    const answers = [
      await login(service, email, 'wrong password'),
      await login(service, newEmail(), 'wrong password'),
      await login(service, passwordless, 'wrong password'),
      await login(service, email, ''),
    ]
    for (const { status, body, headers } of answers) {
      expect(status).toBe(401)
      expect(body).toEqual({ error: 'The e-mail address or the password is wrong.' })
      expect(headers.get('www-authenticate')).toBe('Bearer')
      expect(headers.get('set-cookie')).toBeNull()
    }
  })

  test('a password is hashed for an unknown address too, so that the time tells nothing', async () => {
    const asked: (string | null)[] = []
    const passwords = {
      ...ctx.passwords,
      verify: (hash: string | null, password: string, turn: PasswordTurn) => {
        asked.push(hash)
        return ctx.passwords.verify(hash, password, turn)
      },
    }
    const passwordless = newEmail()
    await user(ctx, passwordless)
    await login(api({ ...ctx, passwords }), newEmail())
    await login(api({ ...ctx, passwords }), passwordless)
    expect(asked).toEqual([null, null])
  })

  test('too many passwords at once are 429, not a queue without end', async () => {
    const busy = {
      ...ctx,
      passwords: { ...ctx.passwords, verify: () => Promise.reject(new PasswordsBusy()) },
    }
    const { status, headers } = await login(api(busy), newEmail())
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('1')
  })

  test('the eleventh attempt in a minute is 429 with headers, also with the right password', async () => {
    const limited = configured({ RATE_LIMIT_AUTH: '10/min' })
    const email = newEmail()
    await register(limited, { email })
    for (let i = 0; i < 10; i++) expect((await login(limited, email, 'wrong password')).status).toBe(401)
    const { status, body, headers } = await login(limited, email.toUpperCase())
    expect(status).toBe(429)
    expect(body).toEqual({ error: 'Too many sign-in attempts. Try again later.' })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(headers.get('ratelimit-limit')).toBe('10')
    expect(headers.get('ratelimit-remaining')).toBe('0')
    expect((await login(configured({ RATE_LIMIT_AUTH: '10/min' }, '192.0.2.77'), email)).status).toBe(200)
    const unknown = newEmail()
    for (let i = 0; i < 10; i++) expect((await login(limited, unknown)).status).toBe(401)
    expect((await login(limited, unknown)).status).toBe(429)
  })

  test.each([
    { email: 'x' },
    { password: 'x' },
    {},
    'text',
    { email: newEmail(), password: 'x'.repeat(1025) },
  ])('is 400 for %j', async (body) => {
    expect((await service.anonymous.post('/service/auth/password/login', body)).status).toBe(400)
  })

  test('sign-ins write entries, failures of one minute share one, and no entry holds an address', async () => {
    const email = newEmail()
    const { user } = (await register(service, { email })).body
    await signIn(service, email)
    for (let i = 0; i < 3; i++) await login(service, email, 'wrong password')
    const failures = () =>
      ctx.db`
        select actor_id, count, ip_address, actor_metadata from audit_entries
        where event_type = 'user.sign_in_failed' and resource_id = ${user.id}`
    await eventually('three failures are counted', async () => (await failures())[0]?.count === 3)
    expect([...(await failures())]).toEqual([
      { actor_id: user.id, count: 3, ip_address: '127.0.0.1', actor_metadata: { name: '', role: null } },
    ])
    expect((await entriesAbout(ctx, user.id)).map((entry) => entry.event_type).sort()).toEqual([
      'user.registered',
      'user.signed_in',
    ])
    expect(await trailAsText(ctx)).not.toContain('@')
  })

  test('a sign-in to an unknown address is logged without the address, and writes no entry', async () => {
    const { log, lines } = recordedLog()
    const before = await ctx.db`select 1 from audit_entries`
    const email = newEmail()
    await login(api({ ...ctx, log }), email)
    expect(lines.join()).toContain('Failed sign-in: no such account')
    expect(lines.join()).not.toContain(email)
    expect((await ctx.db`select 1 from audit_entries`).length).toBe(before.length)
  })

  test('the response stands if the audit entry can’t be written', async () => {
    const email = newEmail()
    await register(service, { email })
    const { log, lines } = recordedLog()
    await ctx.db`alter table audit_entries add constraint refuse_all check (false) not valid`
    try {
      const { unrecorded } = api({ ...ctx, log }).anonymous
      const path = '/service/auth/password/login/'
      expect((await unrecorded.post(path, { email, password: PASSWORD })).status).toBe(200)
      expect((await login(api({ ...ctx, log }), email, 'wrong password')).status).toBe(401)
      await eventually(
        'both failures are logged',
        () => lines.join().split('could not be written').length === 3,
      )
    } finally {
      await ctx.db`alter table audit_entries drop constraint refuse_all`
    }
  })
})

describe('POST /service/auth/password/change/', () => {
  const change = '/password/change/'
  const bodyOf = (current_password: string, new_password: string) => ({ current_password, new_password })

  test('ends every session, on every replica, and only the new password signs in', async () => {
    const email = newEmail()
    const { user } = (await register(service, { email })).body
    const here = await signIn(service, email)
    const elsewhere = await signIn(service, email)
    const replica = api(ctx)
    const { status, body, headers } = await here.post(change, bodyOf(PASSWORD, 'another passphrase'))
    expect([status, body]).toEqual([204, ''])
    expect(headers.get('set-cookie')).toMatch(/^keyward_session=; Path=\/; Max-Age=0;/)
    for (const { cookie, token } of [here, elsewhere]) {
      expect((await browser(replica, cookie).get('/sessions')).status).toBe(401)
      expect((await replica.as(token).get('/v1/me')).status).toBe(401)
    }
    expect((await login(service, email)).status).toBe(401)
    expect((await login(service, email, 'another passphrase')).status).toBe(200)
    expect(await entriesAbout(ctx, user.id)).toContainEqual(
      expect.objectContaining({
        event_type: 'user.password_changed',
        actor_id: user.id,
        new_values: { revokedTokens: 0 },
      }),
    )
  })

  test('works with a session token, and not with an access token', async () => {
    const email = newEmail()
    await register(service, { email })
    const { token } = await signIn(service, email)
    const path = `/service/auth${change}`
    expect((await service.as(token).post(path, bodyOf(PASSWORD, 'another passphrase'))).status).toBe(204)
    const developer = await member(ctx, 'developer')
    expect((await service.as(developer.token).post(path, bodyOf(PASSWORD, PASSWORD))).status).toBe(401)
  })

  test('is 401 without a session, 403 for a wrong current password, 400 for a short new one', async () => {
    const email = newEmail()
    await register(service, { email })
    const session = await signIn(service, email)
    expect((await service.anonymous.post(`/service/auth${change}`, {})).status).toBe(401)
    const refused = await session.post(change, bodyOf('wrong password', 'another passphrase'))
    expect([refused.status, refused.body]).toEqual([403, { error: 'The current password is wrong.' }])
    expect((await session.post(change, bodyOf(PASSWORD, 'short12'))).status).toBe(400)
    expect((await session.post(change, { new_password: PASSWORD })).status).toBe(400)
    expect((await session.get('/sessions')).status).toBe(200)
  })

  test('attempts of a session are limited', async () => {
    const limited = configured({ RATE_LIMIT_AUTH: '2/min' })
    const email = newEmail()
    await register(limited, { email })
    const session = await signIn(limited, email)
    const attempt = (current: string) => session.post(change, bodyOf(current, 'another passphrase'))
    for (let i = 0; i < 2; i++) expect((await attempt('wrong password')).status).toBe(403)
    const { status, body, headers } = await attempt(PASSWORD)
    expect([status, body]).toEqual([
      429,
      { error: 'Too many attempts at the current password. Try again later.' },
    ])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('attempts of strangers and of a stolen session don’t block another session', async () => {
    const limited = configured({ RATE_LIMIT_AUTH: '2/min' })
    const email = newEmail()
    await register(limited, { email })
    const stolen = await signIn(limited, email)
    const own = await signIn(limited, email)
    for (let i = 0; i < 3; i++) await login(limited, email, 'wrong password')
    for (let i = 0; i < 40; i++) await stolen.post(change, bodyOf('wrong password', PASSWORD))
    expect((await own.post(change, bodyOf(PASSWORD, 'another passphrase'))).status).toBe(204)
  })

  test('leaves no session of a concurrent sign-in with the old password', async () => {
    for (let round = 0; round < 5; round++) {
      const email = newEmail()
      await register(service, { email })
      const session = await signIn(service, email)
      const [changed, ...signIns] = await Promise.all([
        session.post(change, bodyOf(PASSWORD, 'another passphrase')),
        ...Array.from({ length: 6 }, (_, i) => login(i % 2 === 0 ? service : api(ctx), email)),
      ])
      expect(changed?.status).toBe(204)
      for (const { status, headers } of signIns) {
        expect([200, 401]).toContain(status)
        const cookie = cookieOf(headers)
        if (cookie !== null) expect((await browser(service, cookie).get('/sessions')).status).toBe(401)
      }
    }
  })

  test('of two concurrent changes one is 204, the other 401: its session has just ended', async () => {
    const email = newEmail()
    await register(service, { email })
    const session = await signIn(service, email)
    const wanted = ['first passphrase', 'second passphrase']
    const answers = await raceFor(
      ctx.db,
      (tx) => tx`select 1 from users for update`,
      ...wanted.map((password) => () => session.post(change, bodyOf(PASSWORD, password))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401])
    const working = await Promise.all(wanted.map((password) => login(service, email, password)))
    expect(working.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('is 401, not 403, when another change was made after the credentials were checked', async () => {
    const email = newEmail()
    await register(service, { email })
    const session = await signIn(service, email)
    const source = { ipAddress: null, userAgent: null, requestId: 'late' }
    const caller = await authenticateSessionToken(ctx, `Bearer ${session.token}`, source)
    expect((await session.post(change, bodyOf(PASSWORD, 'another passphrase'))).status).toBe(204)
    const late = changePassword(ctx, caller, bodyOf(PASSWORD, 'third passphrase'), [])
    expect(await late.catch((error) => error)).toMatchObject({ status: 401 })
  })
})

describe('with password authentication off', () => {
  const bodies = [
    { body: '{}', headers: { 'content-type': 'application/json' } },
    { body: '{', headers: { 'content-type': 'application/json' } },
    { body: 'x', headers: { 'content-type': 'text/plain' } },
    {},
  ]
  test.each(paths)('%s is 403 for everyone, whatever the body', async (path) => {
    const off = configured({ ENABLE_PASSWORD_AUTH: 'false' })
    for (const init of bodies) {
      const { status, body } = await off.anonymous.send('POST', path, init)
      expect([status, body]).toEqual([403, { error: 'Password authentication is switched off.' }])
    }
  })
})

test.each(paths)('%s answers 405 to GET, and 415 to a form', async (path) => {
  const wrong = await service.anonymous.get(path)
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
  const email = newEmail()
  await register(service, { email })
  const { token } = await signIn(service, email)
  const form = { body: 'email=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  expect((await service.as(token).send('POST', path, form)).status).toBe(415)
})
