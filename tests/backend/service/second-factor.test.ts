import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey, codeAt, setUpTotp, visitor } from '../../support/factors.ts'
import {
  type Browser,
  cookieOf,
  deviceOf,
  newEmail,
  PASSWORD,
  register,
  signIn,
} from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let email: string
let session: Browser

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  await register(service)
})
beforeEach(async () => {
  email = newEmail()
  await register(service, { email })
  session = await signIn(service, email)
})
afterAll(() => ctx.close())

const entriesOf = async (userEmail: string) =>
  (
    await ctx.db<{ event_type: string; description: string }[]>`
      select event_type, description from audit_entries
      where resource_id = (select id::text from users where email = ${userEmail}) order by timestamp, id`
  ).map(({ event_type, description }) => `${event_type}: ${description}`)

describe('a sign-in to an account with a second factor', () => {
  test('gets a ticket for the password and no session, and a session for the code', async () => {
    const { secret } = await setUpTotp(ctx, session)
    ctx.clock.advance(30)
    const person = visitor(service)
    const asked = await person.post('/password/login', { email, password: PASSWORD })
    expect(asked.status).toBe(200)
    expect(Object.keys(asked.body)).toEqual(['secondFactor'])
    const { ticket, methods } = asked.body.secondFactor
    expect(methods).toEqual(['totp', 'recovery'])
    expect([cookieOf(asked.headers), deviceOf(asked.headers)]).toEqual([null, null])
    const done = await person.post('/second-factor', { ticket, totp: codeAt(ctx, secret) })
    expect([done.status, done.body.user.email]).toEqual([200, email])
    expect((await person.signedIn().get('/sessions')).body.data).toHaveLength(2)
    expect((await service.as(done.body.accessToken).get('/v1/me')).status).toBe(200)
    expect(deviceOf(done.headers)).not.toBeNull()
  })

  test('is the same 401 for a wrong password, with and without a factor', async () => {
    const plain = newEmail()
    await register(service, { email: plain })
    await setUpTotp(ctx, session)
    const answers = await Promise.all(
      [email, plain, newEmail()].map((one) =>
        visitor(service).post('/password/login', { email: one, password: 'wrong password' }),
      ),
    )
    for (const { status, body, headers } of answers) {
      expect([status, body, headers.getSetCookie()]).toEqual([401, answers[0]?.body, []])
    }
  })

  test('names what the account has: passkeys first, recovery codes while there are any', async () => {
    await addPasskey(session)
    const methods = async () =>
      (await visitor(service).post('/password/login', { email, password: PASSWORD })).body.secondFactor
        .methods
    expect(await methods()).toEqual(['passkey', 'recovery'])
    await setUpTotp(ctx, session)
    expect(await methods()).toEqual(['passkey', 'totp', 'recovery'])
    await ctx.db`delete from recovery_codes`
    expect(await methods()).toEqual(['passkey', 'totp'])
  })

  test('is recorded: the password, what completed it, and what did not', async () => {
    const { secret, recoveryCodes } = await setUpTotp(ctx, session)
    ctx.clock.advance(30)
    const person = visitor(service)
    const wrong = await person.post('/second-factor', { ticket: await person.ticket(email), totp: '000000' })
    expect(wrong.status).toBe(401)
    await person.post('/second-factor', { ticket: await person.ticket(email), totp: codeAt(ctx, secret) })
    const [recovery_code] = recoveryCodes
    await person.post('/second-factor', { ticket: await person.ticket(email), recovery_code })
    const entries = await entriesOf(email)
    for (const entry of [
      'user.second_factor_asked: The password was right; a second factor was asked for.',
      'user.sign_in_failed: Sign-in failed: the password was right, the second factor wrong.',
      'user.signed_in: Signed in with a password and an authenticator app.',
      'user.signed_in: Signed in with a password and a recovery code.',
    ]) {
      expect(entries).toContain(entry)
    }
  })

  test('takes exactly one factor', async () => {
    const { secret, recoveryCodes } = await setUpTotp(ctx, session)
    ctx.clock.advance(30)
    const person = visitor(service)
    const ticket = await person.ticket(email)
    const totp = codeAt(ctx, secret)
    for (const factors of [{}, { totp, recovery_code: recoveryCodes[0] }]) {
      const { status, body } = await person.post('/second-factor', { ticket, ...factors })
      expect([status, body.error]).toEqual([400, 'Send exactly one of totp, recovery_code and passkey.'])
    }
    expect((await person.post('/second-factor', { ticket, totp })).status).toBe(200)
  })

  test('is 404 for a ticket that is unknown, used, or older than 5 minutes', async () => {
    const { secret } = await setUpTotp(ctx, session)
    ctx.clock.advance(30)
    const person = visitor(service)
    const unknown = await person.post('/second-factor', { ticket: 'x', totp: '000000' })
    expect([unknown.status, unknown.body.error]).toEqual([404, 'Sign-in not found.'])
    const ticket = await person.ticket(email)
    expect((await person.post('/second-factor', { ticket, totp: codeAt(ctx, secret) })).status).toBe(200)
    ctx.clock.advance(60)
    expect((await person.post('/second-factor', { ticket, totp: codeAt(ctx, secret) })).status).toBe(404)
    const [late, later] = [await person.ticket(email), await person.ticket(email)]
    ctx.clock.advance(299)
    expect((await person.post('/second-factor', { ticket: late, totp: codeAt(ctx, secret) })).status).toBe(
      200,
    )
    ctx.clock.advance(60)
    expect((await person.post('/second-factor', { ticket: later, totp: codeAt(ctx, secret) })).status).toBe(
      404,
    )
  })

  test('is 403 once password authentication is off, and no passkey is in the way of it', async () => {
    const { authenticator } = await addPasskey(session)
    const off = api({ ...ctx, config: { ...ctx.config, passwordAuth: false } })
    const person = visitor(off)
    const refused = await person.post('/second-factor', { ticket: 'x', totp: '000000' })
    expect([refused.status, refused.body.error]).toEqual([403, 'Password authentication is switched off.'])
    const passkey = await person.assertion(authenticator)
    expect((await person.post('/passkeys/sign-in', { passkey })).status).toBe(200)
  })
})

describe('the own factors', () => {
  test('are listed, and their codes counted', async () => {
    const nothing = { passkeys: 0, passkeysOfOtherHosts: 0, totp: false, recoveryCodes: 0, required: false }
    expect((await session.get('/second-factor')).body).toEqual(nothing)
    await setUpTotp(ctx, session)
    await addPasskey(session)
    expect((await session.get('/second-factor')).body).toEqual({
      ...nothing,
      passkeys: 1,
      totp: true,
      recoveryCodes: 10,
    })
  })

  test('take the cookie, never a bearer', async () => {
    const bearer = service.as(session.token)
    for (const path of ['/second-factor', '/passkeys'])
      expect((await bearer.get(`/service/auth${path}`)).status).toBe(401)
    for (const path of ['/totp', '/totp/confirm', '/recovery-codes', '/passkeys/registration', '/passkeys'])
      expect((await bearer.post(`/service/auth${path}`, {})).status).toBe(401)
  })

  test('are 403 to change more than 10 minutes after the sign-in, and with a sign-in from the future', async () => {
    const { id } = await addPasskey(session)
    await setUpTotp(ctx, session)
    const changes = [
      ['POST', '/totp', {}],
      ['POST', '/totp/confirm', { totp: '000000' }],
      ['DELETE', '/totp', undefined],
      ['POST', '/recovery-codes', {}],
      ['POST', '/passkeys/registration', {}],
      ['POST', '/passkeys', { nonsense: true }],
      ['DELETE', `/passkeys/${id}`, undefined],
    ] as const
    for (const seconds of [601, -602]) {
      ctx.clock.advance(seconds)
      for (const [method, path, body] of changes) {
        const answer = await session.send(method, path, body)
        expect([path, answer.status, answer.body.error]).toEqual([
          path,
          403,
          'Sign in again: this can only be done within 10 minutes of a sign-in.',
        ])
      }
    }
    ctx.clock.advance(1)
    expect((await session.get('/passkeys')).body.data).toHaveLength(1)
    expect((await session.get('/second-factor')).body.totp).toBe(true)
  })

  test('can be set up by an authenticator app once: a second one is 409 until the first is removed', async () => {
    await setUpTotp(ctx, session)
    expect((await session.post('/totp', {})).status).toBe(409)
    expect((await session.post('/totp/confirm', { totp: '000000' })).status).toBe(404)
    expect((await session.delete('/totp')).status).toBe(204)
    expect((await session.delete('/totp')).status).toBe(404)
    expect((await signIn(service, email)).cookie).not.toBe('')
    await setUpTotp(ctx, session)
  })

  test('do not count before the first code, and never without it', async () => {
    expect((await session.post('/totp/confirm', { totp: '000000' })).status).toBe(404)
    const { body } = await session.post('/totp', {})
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(body.uri).toStartWith('otpauth://totp/Keyward%20localhost:')
    expect(body.uri).toContain(`secret=${body.secret}`)
    const wrong = await session.post('/totp/confirm', { totp: '000000' })
    expect([wrong.status, wrong.body.error]).toEqual([401, 'The code is wrong.'])
    expect((await session.delete('/totp')).status).toBe(404)
    await signIn(service, email)
    const [stored] = await ctx.db<{ wrapped_secret: string }[]>`select wrapped_secret from totp_secrets
      where user_id = (select id from users where email = ${email})`
    expect(stored?.wrapped_secret).toStartWith('kw:1:')
    ctx.clock.advance(600)
    const fresh = await signIn(service, email)
    expect((await fresh.post('/totp/confirm', { totp: codeAt(ctx, body.secret) })).status).toBe(404)
  })

  test('have ten recovery codes, shown once and stored as hashes; new ones void the old ones', async () => {
    expect((await session.post('/recovery-codes', {})).status).toBe(409)
    const { recoveryCodes } = await setUpTotp(ctx, session)
    expect(new Set(recoveryCodes).size).toBe(10)
    for (const code of recoveryCodes)
      expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
    const stored = await ctx.db<{ hash: Uint8Array }[]>`select hash from recovery_codes`
    expect(Buffer.concat(stored.map(({ hash }) => hash)).toString('latin1')).not.toContain(
      recoveryCodes[0] ?? '',
    )
    expect((await addPasskey(session)).recoveryCodes).toBeNull()
    const renewed = (await session.post('/recovery-codes', {})).body.recoveryCodes
    expect(renewed).toHaveLength(10)
    const person = visitor(service)
    const use = async (recovery_code: string) =>
      (await person.post('/second-factor', { ticket: await person.ticket(email), recovery_code })).status
    expect(await use(recoveryCodes[0] ?? '')).toBe(401)
    expect(await use(renewed[0].toUpperCase().replaceAll('-', ' '))).toBe(200)
    expect(await use(renewed[0])).toBe(401)
    expect(await use(renewed[1])).toBe(200)
    expect((await session.get('/second-factor')).body.recoveryCodes).toBe(8)
  })

  test('take their recovery codes along with the last one of them', async () => {
    const { id } = await addPasskey(session)
    await setUpTotp(ctx, session)
    expect((await session.delete('/totp')).status).toBe(204)
    expect((await session.get('/second-factor')).body.recoveryCodes).toBe(10)
    expect((await session.delete(`/passkeys/${id}`)).status).toBe(204)
    expect((await session.get('/second-factor')).body.recoveryCodes).toBe(0)
  })

  test('end no session when they are removed, and stay when the password is changed', async () => {
    await setUpTotp(ctx, session)
    const { authenticator, id } = await addPasskey(session)
    const person = visitor(service)
    await person.post('/passkeys/sign-in', { passkey: await person.assertion(authenticator) })
    expect((await session.delete(`/passkeys/${id}`)).status).toBe(204)
    expect((await person.signedIn().get('/sessions')).status).toBe(200)
    const changed = { current_password: PASSWORD, new_password: 'another long password' }
    expect((await session.post('/password/change', changed)).status).toBe(204)
    expect(await visitor(service).ticket(email, 'another long password')).not.toBe('')
  })

  test('change with an audit entry each', async () => {
    const { id } = await addPasskey(session, 'Key ring')
    await setUpTotp(ctx, session)
    await session.post('/recovery-codes', {})
    await session.delete('/totp')
    await session.delete(`/passkeys/${id}`)
    const entries = await entriesOf(email)
    for (const entry of [
      'user.passkey_added: Passkey "Key ring" added.',
      'user.totp_added: Authenticator app set up.',
      'user.recovery_codes_renewed: New recovery codes; the old ones are void.',
      'user.totp_removed: Authenticator app removed.',
      'user.passkey_removed: Passkey "Key ring" removed.',
    ]) {
      expect(entries).toContain(entry)
    }
  })
})
