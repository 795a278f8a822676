import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey, codeAt, setUpTotp, visitor } from '../../support/factors.ts'
import { raceFor } from '../../support/races.ts'
import { type Browser, newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let replica: ReturnType<typeof api>
let email: string
let userId: string
let session: Browser

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  replica = api(ctx)
  await register(service)
})
beforeEach(async () => {
  email = newEmail()
  userId = (await register(service, { email })).body.user.id
  session = await signIn(service, email)
})
afterAll(() => ctx.close())

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort()

/** Requests that all wait for the account, and then race. */
const race = (...requests: (() => Promise<Answer>)[]) =>
  raceFor(ctx.db, (tx) => tx`select 1 from users where id = ${userId} for update`, ...requests)

describe('a code', () => {
  test('works once: not again in its time step, nor an older one after it, nor the one that set up the app', async () => {
    const { secret } = await setUpTotp(ctx, session)
    const person = visitor(service)
    const enter = async (totp: string) =>
      (await person.post('/second-factor', { ticket: await person.ticket(email), totp })).status
    expect(await enter(codeAt(ctx, secret))).toBe(401)
    ctx.clock.advance(30)
    const now = codeAt(ctx, secret)
    expect(await enter(now)).toBe(200)
    expect(await enter(now)).toBe(401)
    expect(await enter(codeAt(ctx, secret, 1))).toBe(200)
    ctx.clock.advance(30)
    expect(await enter(codeAt(ctx, secret))).toBe(401)
    expect(await enter(codeAt(ctx, secret, -1))).toBe(401)
  })

  test('works one window either side, and no further', async () => {
    const { secret } = await setUpTotp(ctx, session)
    ctx.clock.advance(300)
    const person = visitor(service)
    const enter = async (later: number) => {
      const totp = codeAt(ctx, secret, later)
      return (await person.post('/second-factor', { ticket: await person.ticket(email), totp })).status
    }
    expect([await enter(-2), await enter(2)]).toEqual([401, 401])
    expect([await enter(-1), await enter(0), await enter(1)]).toEqual([200, 200, 200])
  })

  test('at two replicas at once opens one session, be it with two tickets or one', async () => {
    const { secret } = await setUpTotp(ctx, session)
    for (const tickets of [2, 1]) {
      ctx.clock.advance(60)
      const totp = codeAt(ctx, secret)
      const person = visitor(service)
      const [one, two] = [await person.ticket(email), tickets === 2 ? await person.ticket(email) : null]
      const answers = await race(
        () => person.post('/second-factor', { ticket: one, totp }),
        () => person.post('/second-factor', { ticket: two ?? one, totp }, replica),
      )
      expect(statuses(answers)).toEqual([200, tickets === 2 ? 401 : 404])
    }
  })

  test('of recovery at two replicas at once opens one session', async () => {
    const { recoveryCodes } = await setUpTotp(ctx, session)
    const person = visitor(service)
    const [recovery_code] = recoveryCodes
    const [one, two] = [await person.ticket(email), await person.ticket(email)]
    const answers = await race(
      () => person.post('/second-factor', { ticket: one, recovery_code }),
      () => person.post('/second-factor', { ticket: two, recovery_code }, replica),
    )
    expect(statuses(answers)).toEqual([200, 401])
  })

  test('of one account is worth nothing for another', async () => {
    const other = newEmail()
    await register(service, { email: other })
    const theirs = await setUpTotp(ctx, await signIn(service, other))
    await setUpTotp(ctx, session)
    ctx.clock.advance(30)
    const person = visitor(service)
    for (const factor of [{ totp: codeAt(ctx, theirs.secret) }, { recovery_code: theirs.recoveryCodes[0] }]) {
      const ticket = await person.ticket(email)
      expect((await person.post('/second-factor', { ticket, ...factor })).status).toBe(401)
    }
  })

  test('is opened by its own row alone: a wrapped secret that was moved is refused', async () => {
    const { secret } = await setUpTotp(ctx, session)
    const other = newEmail()
    await register(service, { email: other })
    await setUpTotp(ctx, await signIn(service, other))
    await ctx.db`update totp_secrets set wrapped_secret = (
      select wrapped_secret from totp_secrets where user_id = ${userId})
      where user_id = (select id from users where email = ${other})`
    ctx.clock.advance(30)
    const person = visitor(service)
    const ticket = await person.ticket(other)
    const quiet = visitor(api({ ...ctx, log: { ...ctx.log, error: () => {} } as never }), person.jar)
    expect((await quiet.post('/second-factor', { ticket, totp: codeAt(ctx, secret) })).status).toBe(500)
  })
})

describe('a ticket', () => {
  test('is worth nothing in another browser, and none without its cookie', async () => {
    const { secret } = await setUpTotp(ctx, session)
    ctx.clock.advance(30)
    const person = visitor(service)
    const ticket = await person.ticket(email)
    const totp = codeAt(ctx, secret)
    const thief = visitor(service)
    await thief.post('/passkeys/options', {})
    for (const someone of [thief, visitor(service)]) {
      expect((await someone.post('/second-factor', { ticket, totp })).status).toBe(404)
      expect((await someone.post('/passkeys/options', { ticket })).status).toBe(404)
    }
    expect((await person.post('/second-factor', { ticket, totp })).status).toBe(200)
  })

  test('ends with the password that was checked, also when that changes at the same moment', async () => {
    const { secret } = await setUpTotp(ctx, session)
    ctx.clock.advance(30)
    const person = visitor(service)
    const ticket = await person.ticket(email)
    const change = { current_password: PASSWORD, new_password: 'another long password' }
    expect((await session.post('/password/change', change)).status).toBe(204)
    expect((await person.post('/second-factor', { ticket, totp: codeAt(ctx, secret) })).status).toBe(404)

    const fresh = await person.ticket(email, 'another long password')
    const { results } = await ctx.database.aside.begin(async (tx) => {
      await tx`update users set password_hash = 'x' where id = ${userId}`
      const results = person.post('/second-factor', { ticket: fresh, totp: codeAt(ctx, secret) })
      await Bun.sleep(300)
      return { results }
    })
    expect((await results).status).toBe(404)
    expect(await ctx.db`select 1 from sessions where user_id = ${userId}`).toHaveLength(0)
  })

  test('is not for whoever brings a passkey of another account', async () => {
    const { authenticator: theirs } = await addPasskey(session)
    email = newEmail()
    await register(service, { email })
    const { authenticator } = await addPasskey(await signIn(service, email))
    const person = visitor(service)
    const ticket = await person.ticket(email)
    const foreign = await person.assertion(theirs, ticket)
    expect((await person.post('/second-factor', { ticket, passkey: foreign })).status).toBe(401)
    const passkey = await person.assertion(authenticator, ticket)
    expect((await person.post('/second-factor', { ticket, passkey })).status).toBe(200)
  })
})
