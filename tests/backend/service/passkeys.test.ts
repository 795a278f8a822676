import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api } from '../../support/api.ts'
import { softwareAuthenticator } from '../../support/authenticator.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey, visitor } from '../../support/factors.ts'
import { type Browser, cookieOf, newEmail, register, signIn } from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let email: string
let userId: string
let session: Browser

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  await register(service)
})
beforeEach(async () => {
  email = newEmail()
  userId = (await register(service, { email })).body.user.id
  session = await signIn(service, email)
})
afterAll(() => ctx.close())

describe('a passkey', () => {
  test('is asked for so that it works by itself, and without saying what the authenticator is', async () => {
    const { status, body } = await session.post('/passkeys/registration', {})
    expect(status).toBe(200)
    expect({ ...body, challenge: null }).toEqual({
      challenge: null,
      timeout: 300_000,
      rp: { id: 'localhost', name: 'Keyward' },
      user: {
        id: Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url'),
        name: email,
        displayName: email,
      },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
    })
  })

  test('is added, listed with its last use, left out by the next registration, and removed', async () => {
    const { authenticator, id, recoveryCodes } = await addPasskey(session, ' Laptop ')
    expect(recoveryCodes).toHaveLength(10)
    const created = ctx.clock.now().toISOString()
    expect((await session.get('/passkeys')).body).toEqual({
      data: [{ id, name: 'Laptop', createdAt: created, lastUsedAt: null }],
    })
    const again = (await session.post('/passkeys/registration', {})).body
    expect(again.excludeCredentials).toEqual([
      { id: authenticator.id, type: 'public-key', transports: ['internal'] },
    ])
    const person = visitor(service)
    await person.post('/passkeys/sign-in', { passkey: await person.assertion(authenticator) })
    expect((await session.get('/passkeys')).body.data[0].lastUsedAt).toBe(created)
    expect((await session.delete(`/passkeys/${id}`)).status).toBe(204)
    expect((await session.delete(`/passkeys/${id}`)).status).toBe(404)
    const gone = await person.post('/passkeys/sign-in', { passkey: await person.assertion(authenticator) })
    expect([gone.status, gone.body.error]).toEqual([401, 'The passkey could not be verified.'])
  })

  test('is the whole sign-in: no password, no further factor', async () => {
    const { authenticator } = await addPasskey(session)
    const person = visitor(service)
    const options = await person.post('/passkeys/options', {})
    expect(options.body).toEqual({
      challenge: options.body.challenge,
      timeout: 300_000,
      rpId: 'localhost',
      allowCredentials: [],
      userVerification: 'required',
    })
    const done = await person.post('/passkeys/sign-in', { passkey: authenticator.get(options.body) })
    expect([done.status, done.body.user.email]).toEqual([200, email])
    expect(cookieOf(done.headers)).not.toBeNull()
    const [stored] =
      await ctx.db`select method from sessions where user_id = ${userId} and method <> 'password'`
    expect(stored).toEqual({ method: 'passkey' })
    expect(
      await ctx.db`select 1 from audit_entries
        where resource_id = ${userId} and description = 'Signed in with a passkey.'`,
    ).toHaveLength(1)
  })

  test('is a second factor: the ticket names which passkeys will do', async () => {
    const { authenticator } = await addPasskey(session)
    const person = visitor(service)
    const ticket = await person.ticket(email)
    const options = await person.post('/passkeys/options', { ticket })
    expect(options.body.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.id])
    const passkey = authenticator.get(options.body, { userHandle: null })
    expect((await person.post('/second-factor', { ticket, passkey })).status).toBe(200)
  })

  test('may come with fields that only browsers know', async () => {
    const authenticator = softwareAuthenticator()
    const options = (await session.post('/passkeys/registration', {})).body
    const created = authenticator.create(options)
    const passkey = {
      ...created,
      authenticatorAttachment: 'platform',
      clientExtensionResults: { credProps: { rk: true } },
      response: { ...created.response, publicKeyAlgorithm: -7, publicKey: 'x', authenticatorData: 'x' },
    }
    expect((await session.post('/passkeys', { name: 'Laptop', passkey })).status).toBe(201)
  })

  test.each([
    {},
    { name: 'x' },
    { name: '', passkey: {} },
    { name: 'x', passkey: { id: 'x', rawId: 'x', type: 'password', response: {} } },
    { name: 'x', passkey: { id: 'x', rawId: 'x', type: 'public-key', response: {} } },
  ])('is 400 as %j', async (body) => {
    expect((await session.post('/passkeys', body)).status).toBe(400)
  })

  test('belongs to one account: another one gets 409, and 404 for removing it', async () => {
    const { authenticator, id } = await addPasskey(session)
    const other = newEmail()
    await register(service, { email: other })
    const stranger = await signIn(service, other)
    const options = (await stranger.post('/passkeys/registration', {})).body
    const answer = await stranger.post('/passkeys', { name: 'x', passkey: authenticator.create(options) })
    expect([answer.status, answer.body.error]).toEqual([409, 'This passkey is registered already.'])
    for (const one of [id, randomUUID(), 'nonsense'])
      expect((await stranger.delete(`/passkeys/${one}`)).status).toBe(404)
  })

  test('can have nineteen more beside it', async () => {
    await addPasskey(session)
    await ctx.db`
      insert into passkeys (id, user_id, rp_id, credential_id, public_key, counter, transports, name, created_at)
      select gen_random_uuid(), ${userId}, 'localhost', sha256(n::text::bytea), '', 0, '{}', 'x', ${ctx.clock.now()}
      from generate_series(1, 18) as n`
    await addPasskey(session)
    const options = (await session.post('/passkeys/registration', {})).body
    const passkey = softwareAuthenticator().create(options)
    const { status, body } = await session.post('/passkeys', { name: 'x', passkey })
    expect([status, body.error]).toEqual([409, 'You can have at most 20 passkeys. Remove one first.'])
    await ctx.db`delete from passkeys where user_id = ${userId}`
  })

  test('is not removed where it is the last way in', async () => {
    const { id } = await addPasskey(session)
    const withoutPassword = session.at(api({ ...ctx, config: { ...ctx.config, passwordAuth: false } }))
    const refused = await withoutPassword.delete(`/passkeys/${id}`)
    expect([refused.status, refused.body.error]).toEqual([
      403,
      'This is your last way to sign in. Add another one first, such as a password or a passkey.',
    ])
    const second = await addPasskey(withoutPassword)
    expect((await withoutPassword.delete(`/passkeys/${id}`)).status).toBe(204)
    await ctx.db`update users set password_hash = null where id = ${userId}`
    expect((await session.delete(`/passkeys/${second.id}`)).status).toBe(403)
    expect((await session.get('/passkeys')).body.data).toHaveLength(1)
  })

  test('lets in nobody whose address is not verified', async () => {
    const { authenticator } = await addPasskey(session)
    const smtp = { host: 'mail.example.org', from: 'x@example.org' } as never
    const mailing = visitor(api({ ...ctx, config: { ...ctx.config, smtp } }))
    await ctx.db`update users set verification_required = true where id = ${userId}`
    const passkey = await mailing.assertion(authenticator)
    expect((await mailing.post('/passkeys/sign-in', { passkey })).status).toBe(403)
  })
})
