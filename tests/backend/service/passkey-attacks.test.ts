import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type Answer, api } from '../../support/api.ts'
import { type Authenticator, type Deviation, softwareAuthenticator } from '../../support/authenticator.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { addPasskey, visitor } from '../../support/factors.ts'
import { raceFor } from '../../support/races.ts'
import { type Browser, cookieOf, newEmail, register, signIn } from '../../support/sign-in.ts'

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

describe('an assertion', () => {
  let authenticator: Authenticator
  beforeEach(async () => {
    authenticator = (await addPasskey(session)).authenticator
  })

  const deviations: [string, Deviation][] = [
    ['of another origin', { origin: 'https://evil.example.org' }],
    ['of another port', { origin: 'http://localhost:9999' }],
    ['for another RP id', { rpId: 'evil.example.org' }],
    ['without user verification', { verified: false }],
    ['of a page in a foreign frame', { crossOrigin: true }],
    ['of a page in a named frame', { crossOrigin: true, topOrigin: 'https://evil.example.org' }],
    ['for another account', { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
    ['for nobody', { userHandle: null }],
    ['that is a registration', { type: 'webauthn.create' }],
    ['of a counter that did not rise', { counter: 1 }],
    ['of a counter that was set back to nothing', { counter: 0 }],
  ]
  test.each(deviations)('%s signs nobody in', async (_, change) => {
    const person = visitor(service)
    const passkey = await person.assertion(authenticator, undefined, change)
    const answer = await person.post('/passkeys/sign-in', { passkey })
    expect([answer.status, answer.body.error]).toEqual([401, 'The passkey could not be verified.'])
    expect(cookieOf(answer.headers)).toBeNull()
  })

  test('with a wrong signature, or of an unknown passkey, signs nobody in, with one and the same answer', async () => {
    const person = visitor(service)
    const right = await person.assertion(authenticator)
    const forged = {
      ...right,
      response: { ...right.response, signature: right.response.signature.slice(0, -8) },
    }
    const unknown = await person.assertion(softwareAuthenticator())
    const broken = { ...right, response: { ...right.response, clientDataJSON: 'e30' } }
    const answers = [forged, unknown, broken].map((passkey) => person.post('/passkeys/sign-in', { passkey }))
    for (const { status, body } of await Promise.all(answers))
      expect([status, body]).toEqual([401, { error: 'The passkey could not be verified.' }])
  })

  test('counts once, also at two replicas at once, and with an authenticator that does not count', async () => {
    const still = (await addPasskey(session, 'Synced', softwareAuthenticator())).authenticator
    await ctx.db`update passkeys set counter = 0 where name = 'Synced'`
    const person = visitor(service)
    const passkey = await person.assertion(still, undefined, { counter: 0 })
    const answers = await race(
      () => person.post('/passkeys/sign-in', { passkey }),
      () => person.post('/passkeys/sign-in', { passkey }, replica),
    )
    expect(statuses(answers)).toEqual([200, 401])
    expect((await person.post('/passkeys/sign-in', { passkey })).status).toBe(401)
    const again = await person.assertion(still, undefined, { counter: 0 })
    expect((await person.post('/passkeys/sign-in', { passkey: again })).status).toBe(200)
  })

  test('counts up to the largest counter that there is', async () => {
    const person = visitor(service)
    for (const counter of [2 ** 31, 2 ** 32 - 1]) {
      const passkey = await person.assertion(authenticator, undefined, { counter })
      expect((await person.post('/passkeys/sign-in', { passkey })).status).toBe(200)
    }
    const passkey = await person.assertion(authenticator, undefined, { counter: 1 })
    expect((await person.post('/passkeys/sign-in', { passkey })).status).toBe(401)
  })

  test('of a cloned authenticator is refused once the other was used, and the audit log says why', async () => {
    const clone = authenticator.clone()
    const person = visitor(service)
    expect(
      (await person.post('/passkeys/sign-in', { passkey: await person.assertion(authenticator) })).status,
    ).toBe(200)
    expect((await person.post('/passkeys/sign-in', { passkey: await person.assertion(clone) })).status).toBe(
      401,
    )
    await eventually('the entry says why', async () => {
      const entries = await ctx.db`select 1 from audit_entries where resource_id = ${userId}
        and description like '%its counter did not rise: it may have been copied.'`
      return entries.length === 1
    })
  })

  test('answers a challenge of its own browser, purpose and last five minutes alone', async () => {
    const person = visitor(service)
    const ticket = await person.ticket(email)
    const passkey = await person.assertion(authenticator)
    expect((await visitor(service).post('/passkeys/sign-in', { passkey })).status).toBe(401)
    expect((await person.post('/second-factor', { ticket, passkey })).status).toBe(401)
    const forTicket = await person.assertion(authenticator, ticket)
    expect((await person.post('/passkeys/sign-in', { passkey: forTicket })).status).toBe(401)
    const another = await person.ticket(email)
    expect((await person.post('/second-factor', { ticket: another, passkey: forTicket })).status).toBe(401)
    const old = await person.assertion(authenticator)
    ctx.clock.advance(300)
    expect((await person.post('/passkeys/sign-in', { passkey: old })).status).toBe(401)
  })

  test('answers no challenge that somebody made up, or that another SECRET_KEY has signed', async () => {
    const person = visitor(service)
    const options = (await person.post('/passkeys/options', {})).body
    const madeUp = createHash('sha512').update('x').digest().subarray(0, 52).toString('base64url')
    for (const challenge of [madeUp, 'x', `${options.challenge}AA`, options.challenge.slice(0, -4)]) {
      const passkey = authenticator.get({ ...options, challenge })
      expect((await person.post('/passkeys/sign-in', { passkey })).status).toBe(401)
    }
    const { secretKey } = testConfig({ SECRET_KEY: '77'.repeat(32) })
    const other = api({ ...ctx, config: { ...ctx.config, secretKey } })
    const passkey = authenticator.get((await visitor(other, person.jar).post('/passkeys/options', {})).body)
    expect((await person.post('/passkeys/sign-in', { passkey })).status).toBe(401)
  })

  test('opens no session when its passkey is removed at the same moment', async () => {
    const [stored] = await ctx.db`select id from passkeys where user_id = ${userId}`
    const person = visitor(service)
    const passkey = await person.assertion(authenticator)
    const { result } = await ctx.database.aside.begin(async (tx) => {
      await tx`select 1 from users where id = ${userId} for update`
      await tx`delete from passkeys where id = ${stored?.id}`
      const result = person.post('/passkeys/sign-in', { passkey })
      await Bun.sleep(300)
      return { result }
    })
    expect((await result).status).toBe(401)
  })
})

test('options tell nobody who has a passkey: without a ticket they name none', async () => {
  await addPasskey(session)
  const answers = [
    await visitor(service).post('/passkeys/options', {}),
    await visitor(service).post('/passkeys/options', {}),
  ]
  for (const { status, body } of answers) expect([status, body.allowCredentials]).toEqual([200, []])
  const named = await visitor(service).post('/passkeys/options', { email })
  expect(named.status).toBe(400)
})

describe('a registration', () => {
  test.each<[string, Deviation]>([
    ['of another origin', { origin: 'https://evil.example.org' }],
    ['for another RP id', { rpId: 'example.org' }],
    ['without user verification', { verified: false }],
    ['of a page in a foreign frame', { crossOrigin: true }],
    ['that is an assertion', { type: 'webauthn.get' }],
  ])('%s is 400', async (_, change) => {
    const options = (await session.post('/passkeys/registration', {})).body
    const passkey = softwareAuthenticator().create(options, change)
    const answer = await session.post('/passkeys', { name: 'x', passkey })
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringContaining('could not be verified'),
    ])
  })

  test('answers a challenge of its own session, once and within five minutes', async () => {
    const other = await signIn(service, email)
    const options = (await session.post('/passkeys/registration', {})).body
    const passkey = softwareAuthenticator().create(options)
    expect((await other.post('/passkeys', { name: 'x', passkey })).status).toBe(400)
    expect((await session.post('/passkeys', { name: 'x', passkey })).status).toBe(201)
    const second = softwareAuthenticator().create(options)
    expect((await session.post('/passkeys', { name: 'x', passkey: second })).status).toBe(400)
    const late = softwareAuthenticator().create((await session.post('/passkeys/registration', {})).body)
    ctx.clock.advance(300)
    expect((await session.post('/passkeys', { name: 'x', passkey: late })).status).toBe(400)
    const signIns = softwareAuthenticator().create({
      ...options,
      challenge: (await visitor(service).post('/passkeys/options', {})).body.challenge,
    })
    expect((await session.post('/passkeys', { name: 'x', passkey: signIns })).status).toBe(400)
  })

  test('adds nothing for a session that is ended at the same moment', async () => {
    const passkey = softwareAuthenticator().create((await session.post('/passkeys/registration', {})).body)
    const { result } = await ctx.database.aside.begin(async (tx) => {
      await tx`select 1 from users where id = ${userId} for update`
      await tx`delete from sessions where user_id = ${userId}`
      const result = session.post('/passkeys', { name: 'x', passkey })
      await Bun.sleep(300)
      return { result }
    })
    expect((await result).status).toBe(401)
    expect(await ctx.db`select 1 from passkeys where user_id = ${userId}`).toHaveLength(0)
  })
})
