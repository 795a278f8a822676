import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey, codeAt, setUpTotp, type Visitor, visitor } from '../../support/factors.ts'
import { roleOf } from '../../support/people.ts'
import { type Browser, newEmail, register, signIn } from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let replica: ReturnType<typeof api>
let email: string
let session: Browser
let secret: string

beforeAll(async () => {
  // The limits of codes hold whatever those of passwords are.
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  replica = api(ctx)
  await register(service)
})
beforeEach(async () => {
  email = newEmail()
  await register(service, { email })
  session = await signIn(service, email)
  secret = (await setUpTotp(ctx, session)).secret
  // To the beginning of an hour, and past the code that set up the app.
  ctx.clock.advance(3600 - (Math.floor(ctx.clock.now().getTime() / 1000) % 3600))
})
afterAll(() => ctx.close())

/** A code that is wrong whatever the time. */
const wrong = 'wrong'

async function guess(person: Visitor, times: number): Promise<number[]> {
  const found: number[] = []
  for (let i = 0; i < times; i++) {
    const ticket = await person.ticket(email)
    found.push((await person.post('/second-factor', { ticket, totp: wrong })).status)
  }
  return found
}

const enter = async (person: Visitor) =>
  person.post('/second-factor', { ticket: await person.ticket(email), totp: codeAt(ctx, secret) })

describe('guesses', () => {
  test('end with the fifth of a ticket, also when all come at once to two replicas', async () => {
    const person = visitor(service)
    const ticket = await person.ticket(email)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        person.post('/second-factor', { ticket, totp: wrong }, i % 2 === 0 ? service : replica),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429, 429, 429, 429])
    const right = await person.post('/second-factor', { ticket, totp: codeAt(ctx, secret) })
    expect([right.status, right.body.error]).toEqual([429, 'Too many attempts. Enter your password again.'])
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await enter(person)).status).toBe(200)
  })

  test('end with the tenth of an account in an hour, and the fiftieth in a day, however many tickets', async () => {
    const person = visitor(service)
    const midnight = 24 * 3600 - (Math.floor(ctx.clock.now().getTime() / 1000) % (24 * 3600))
    ctx.clock.advance(midnight)
    for (let hour = 0; hour < 5; hour++) {
      expect(await guess(person, 11)).toEqual([...Array(10).fill(401), 429])
      ctx.clock.advance(3600)
    }
    const { status, body, headers } = await enter(person)
    expect([status, body.error]).toEqual([429, 'Too many codes were tried. Try again later.'])
    expect(Number(headers.get('retry-after'))).toBe(19 * 3600)
    ctx.clock.advance(19 * 3600)
    expect((await enter(person)).status).toBe(200)
  })

  test('of strangers who know the password lock out neither a known browser nor a passkey', async () => {
    const known = visitor(service)
    expect((await enter(known)).status).toBe(200)
    const { authenticator } = await addPasskey(known.signedIn())
    ctx.clock.advance(60)
    await guess(visitor(service), 11)
    expect((await enter(visitor(service))).status).toBe(429)
    const stranger = visitor(service)
    const ticket = await stranger.ticket(email)
    const passkey = await stranger.assertion(authenticator, ticket)
    expect((await stranger.post('/second-factor', { ticket, passkey })).status).toBe(200)
    expect((await enter(known)).status).toBe(200)
  })

  test('of a known browser end with the twentieth, and then count as those of strangers', async () => {
    const known = visitor(service)
    expect((await enter(known)).status).toBe(200)
    expect(await guess(known, 30)).toEqual([...Array(29).fill(401), 429])
  })

  test('at a transfer of ownership end with the twentieth of a session', async () => {
    const role = await roleOf(ctx, 'owner')
    const [owner] = await ctx.db<{ email: string; user_id: string }[]>`
      select u.email, u.id as user_id from members m join users u on u.id = m.user_id
      join principals p on p.id = m.principal_id where p.role_id = ${role.id}`
    const ada = await signIn(service, owner?.email ?? '')
    await setUpTotp(ctx, ada)
    const member_id = crypto.randomUUID()
    for (let i = 0; i < 20; i++) await ada.post('/ownership/transfer', { member_id, totp: wrong })
    expect((await ada.post('/ownership/transfer', { member_id, totp: wrong })).status).toBe(429)
    await ctx.db`delete from totp_secrets where user_id = ${owner?.user_id ?? ''}`
  })
})
