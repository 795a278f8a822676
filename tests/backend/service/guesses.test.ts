import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes, randomUUID } from 'node:crypto'
import { linkToken } from '../../../src/core/links/link.ts'
import type { PasswordTurn } from '../../../src/platform/password-turns.ts'
import { type Answer, api } from '../../support/api.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { runJobs } from '../../support/jobs.ts'
import { owner, session, user } from '../../support/people.ts'
import { login, newEmail, PASSWORD, register } from '../../support/sign-in.ts'
import { statementsOf } from '../../support/statements.ts'

const MAIL = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' }

/** How many of `most` answers in a row have this status, until one is 429. */
async function countUntilRefused(most: number, status: number, ask: (i: number) => Promise<Answer>) {
  for (let i = 0; i < most; i++) {
    const answer = await ask(i)
    if (answer.status === 429) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      return i
    }
    expect(answer.status).toBe(status)
  }
  return most
}

describe('The setup token', () => {
  let ctx: TestContext
  beforeEach(async () => {
    await ctx?.close()
    ctx = await testContext({ SETUP_TOKEN: 'open sesame' })
  })
  afterAll(() => ctx.close())

  const guess = (service: ReturnType<typeof api>) => register(service, { setup_token: 'guessed' })

  test('can be guessed at sixty times a minute from one address, and then the right one is 429, too', async () => {
    const service = api(ctx, '192.0.2.1')
    expect(await countUntilRefused(70, 403, () => guess(service))).toBe(60)
    const refused = await register(service, { setup_token: 'open sesame' })
    expect(refused.body).toEqual({
      error: 'Too many attempts at the setup token. Try again later.',
    })
    expect((await register(api(ctx, '192.0.2.2'), { setup_token: 'open sesame' })).status).toBe(201)
  })

  test('guessed at, counts as a sign-in of the address; in the next minute there are sixty more', async () => {
    const service = api(ctx, '2001:db8::1')
    for (let i = 0; i < 30; i++) await login(service, newEmail())
    expect(await countUntilRefused(70, 403, () => guess(service))).toBe(30)
    expect((await login(api(ctx, '2001:db8::2'), newEmail())).status).toBe(429)
    ctx.clock.advance(60)
    expect(await countUntilRefused(70, 403, () => guess(service))).toBe(60)
  })

  test('guessed at by many at the same moment is compared no more than sixty times', async () => {
    const replicas = [api(ctx, '192.0.2.1'), api(ctx, '192.0.2.1')] as const
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => guess(replicas[i % 2 ? 1 : 0])))
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(60)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40)
  })

  test('is no guess where it is missing, and costs no hash where it is wrong', async () => {
    const hashed: string[] = []
    const hash = (password: string, turn: PasswordTurn) => {
      hashed.push(password)
      return ctx.passwords.hash(password, turn)
    }
    const service = api({ ...ctx, passwords: { ...ctx.passwords, hash } }, '192.0.2.1')
    expect(await countUntilRefused(70, 403, () => register(service))).toBe(70)
    await guess(service)
    expect(hashed).toEqual([])
    expect((await register(service, { setup_token: 'open sesame' })).status).toBe(201)
    expect(hashed).toEqual([PASSWORD])
  })

  test('is not counted where RATE_LIMIT_AUTH is off', async () => {
    const off = { ...ctx, config: testConfig({ SETUP_TOKEN: 'open sesame', RATE_LIMIT_AUTH: 'off' }) }
    expect(await countUntilRefused(70, 403, () => guess(api(off, '192.0.2.1')))).toBe(70)
  })
})

describe('The token of a link', () => {
  let ctx: TestContext
  let service: ReturnType<typeof api>
  let bearer: string
  beforeAll(async () => {
    ctx = await testContext()
    service = api(ctx)
    await owner(ctx)
    bearer = await session(ctx, await user(ctx))
  })
  afterAll(() => ctx.close())

  const unknown = () => linkToken(ctx, 'invite', { id: randomUUID(), nonce: randomBytes(32) })
  const routes = ['invites/lookup/', 'email/verify/', 'password/reset/'].map(
    (path) => `/service/auth/${path}`,
  )
  const bodyOf = (path: string, token: string) =>
    path.includes('reset') ? { token, new_password: PASSWORD } : { token }

  test.each(routes)('guessed at %s costs one look-up, and none where it has another form', async (path) => {
    for (const [token, cost] of [
      ['x', 0],
      [unknown(), 1],
    ] as const) {
      const statements = await statementsOf(ctx, async () => {
        expect((await service.anonymous.post(path, bodyOf(path, token))).status).toBe(404)
      })
      expect(statements).toHaveLength(cost)
    }
  })

  test('guessed at invites/accept/ never waits in line with the changes of the organisation', async () => {
    const wait = () => Promise.reject(new Error('it stands in line'))
    const charge = () => {}
    const line = { run: wait, isFree: () => false, tryToEnter: () => null, enter: wait, charge }
    const limitChanges = { ...line, organisation: line, environment: line, preparation: line }
    const patient = api({ ...ctx, limitChanges }).as(bearer)
    for (const token of ['x', unknown()]) {
      expect((await patient.post('/service/auth/invites/accept/', { token })).status).toBe(404)
    }
  })

  test('guessed at in a registration or a reset costs no hash', async () => {
    const hash = () => Promise.reject(new Error('it is hashed'))
    const lazy = api({ ...ctx, passwords: { ...ctx.passwords, hash } })
    for (const token of ['x', unknown()]) {
      expect((await register(lazy, { invite: token })).status).toBe(404)
      const reset = { token, new_password: PASSWORD }
      expect((await lazy.anonymous.post('/service/auth/password/reset/', reset)).status).toBe(404)
    }
  })
})

describe('A request for a mail', () => {
  let ctx: TestContext
  beforeAll(async () => {
    ctx = await testContext(MAIL)
    await owner(ctx)
  })
  afterAll(() => ctx.close())

  type Service = ReturnType<typeof api>
  const ask = (service: Service, path: string, email = newEmail()) =>
    service.anonymous.post(`/service/auth/${path}`, { email })

  test('comes sixty times a minute from one address, for whatever accounts and links', async () => {
    const known = newEmail()
    await user(ctx, known)
    const service = api(ctx, '192.0.2.1')
    const first = await ask(service, 'password/forgot/', known)
    const others = Array.from({ length: 63 }, (_, i) =>
      i % 2 === 0
        ? ask(service, 'password/forgot/', i % 4 === 0 ? known : newEmail())
        : ask(service, 'email/resend/'),
    )
    const asked = [first, ...(await Promise.all(others))]
    expect(asked.filter(({ status }) => status === 204)).toHaveLength(60)
    const refused = asked.filter(({ status }) => status === 429)
    expect(refused.map(({ body }) => body.error)).toEqual(
      Array(4).fill('Too many requests for a mail. Try again later.'),
    )
    expect(await runJobs(ctx)).toEqual(['send-password-reset'])
    expect((await ask(api(ctx, '192.0.2.2'), 'password/forgot/')).status).toBe(204)
    ctx.clock.advance(60)
    expect((await ask(service, 'password/forgot/')).status).toBe(204)
  })

  test('beyond the limit costs one statement, and takes no row of an account', async () => {
    const service = api(ctx, '192.0.2.3')
    await Promise.all(Array.from({ length: 60 }, () => ask(service, 'email/resend/')))
    const statements = await statementsOf(ctx, () => ask(service, 'password/forgot/'))
    expect(statements).toHaveLength(1)
  })
})
