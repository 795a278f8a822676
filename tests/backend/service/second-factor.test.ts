import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey, codeAt, setUpTotp, visitor } from '../../support/factors.ts'
import { type Browser, cookieOf, login, newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'

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

describe('an authenticator app', () => {
  test('is a second factor: the password gives a ticket and no session, the code a session', async () => {
    const { secret } = await setUpTotp(ctx, session)
    ctx.clock.advance(30)
    const person = visitor(service)
    const asked = await person.post('/password/login', { email, password: PASSWORD })
    expect([asked.status, asked.body]).toEqual([
      200,
      { secondFactor: { ticket: expect.any(String), methods: ['totp', 'recovery'] } },
    ])
    expect(cookieOf(asked.headers)).toBeNull()
    const { ticket } = asked.body.secondFactor
    const done = await person.post('/second-factor', { ticket, totp: codeAt(ctx, secret) })
    expect(done.status).toBe(200)
    expect(done.body).toMatchObject({ accessToken: expect.any(String), user: { email } })
    expect((await person.signedIn().get('/sessions')).body.data).toHaveLength(2)
    expect((await service.as(done.body.accessToken).get('/v1/me')).status).toBe(200)
  })
})
void addPasskey
void login
describe('walk', () => {
  test('passkeys', async () => {
    const { authenticator } = await addPasskey(session)
    const person = visitor(service)
    const done = await person.post('/passkeys/sign-in', { passkey: await person.assertion(authenticator) })
    expect([done.status, done.body.error]).toEqual([200, undefined])
    const other = visitor(service)
    const ticket = await other.ticket(email)
    const second = await other.post('/second-factor', { ticket, passkey: await other.assertion(authenticator, ticket) })
    expect([second.status, second.body.error]).toEqual([200, undefined])
  })
})
