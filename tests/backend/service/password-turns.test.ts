import { afterAll, afterEach, beforeAll, expect, spyOn, test } from 'bun:test'
import { createHandedLink } from '../../../src/core/links/handed-link.ts'
import { addMember } from '../../../src/core/members/addition.ts'
import { bunArgon2id } from '../../../src/platform/argon2id-bun.ts'
import type { PasswordTurn } from '../../../src/platform/password-turns.ts'
import { createPasswords } from '../../../src/platform/passwords.ts'
import { type Answer, api } from '../../support/api.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { owner, type Person, roleOf } from '../../support/people.ts'
import {
  browser,
  cookieOf,
  deviceOf,
  login,
  newEmail,
  PASSWORD,
  register,
  signIn,
} from '../../support/sign-in.ts'

const WRONG = 'a password that takes long to check'

let ctx: TestContext
let ada: Person
let release: () => void
let spy: { mockRestore(): void } | undefined

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  const passwords = createPasswords({
    argon2id: bunArgon2id,
    memoryCost: 64,
    timeCost: 1,
    concurrency: 1,
    queue: 2,
  })
  ctx = { ...ctx, passwords, config: testConfig() }
})
afterAll(() => ctx.close())
afterEach(() => spy?.mockRestore())

const at = (address: string) => api(ctx, address)

/** Strangers at six addresses, of whom one has a password checked, two wait, and three were refused. */
async function flood(): Promise<Promise<Answer>[]> {
  const { promise, resolve } = Promise.withResolvers<void>()
  release = resolve
  const verify = Bun.password.verify
  spy = spyOn(Bun.password, 'verify').mockImplementation(async (password, hash) => {
    if (password === WRONG) await promise
    return await verify(password, hash)
  })
  let refused = 0
  const full = Promise.withResolvers<void>()
  const attempts = Array.from({ length: 6 }, async (_, i) => {
    const answer = await login(at(`198.51.100.${i}`), newEmail(), WRONG)
    if (answer.status === 429 && ++refused === 3) full.resolve()
    return answer
  })
  await full.promise
  return attempts
}

test('while strangers fill the line for passwords, a browser that has signed in before still signs in', async () => {
  const email = newEmail()
  const device = deviceOf((await register(at('192.0.2.1'), { email })).headers) ?? ''
  const attempts = await flood()
  const own = login(at('192.0.2.1'), email, undefined, device)
  const { status, body, headers } = await login(at('192.0.2.2'), email)
  expect([status, body, headers.get('retry-after')]).toEqual([
    429,
    { error: 'The server is busy. Try again in a second.' },
    '1',
  ])
  release()
  expect((await own).status).toBe(200)
  expect((await Promise.all(attempts)).map((answer) => answer.status).sort()).toEqual([
    ...Array(3).fill(401),
    ...Array(3).fill(429),
  ])
})

test('and somebody who is signed in changes the password', async () => {
  const email = newEmail()
  await register(at('192.0.2.1'), { email })
  const session = await signIn(at('192.0.2.1'), email)
  const attempts = await flood()
  const change = { current_password: WRONG, new_password: 'another password' }
  const refused = session.post('/password/change/', change)
  // Time to be refused in, if the strangers' line were its own.
  await Bun.sleep(100)
  release()
  expect((await refused).status).toBe(403)
  await Promise.all(attempts)
})

test('while strangers fill the line for passwords, somebody registers with an invite', async () => {
  const email = newEmail()
  const { id } = await roleOf(ctx, 'developer')
  const { body } = await at('192.0.2.1').as(ada.token).post('/v1/members/invites', { email, role_id: id })
  const attempts = await flood()
  const registered = register(at('192.0.2.1'), { email, invite: body.inviteUrl.split('#')[1] })
  // Time to be refused in, if the strangers' line were that of the invite.
  await Bun.sleep(100)
  release()
  expect((await registered).status).toBe(201)
  await Promise.all(attempts)
})

test('a member waits in the line of members, an account without a membership in that of accounts', async () => {
  const turns: PasswordTurn[] = []
  const { hash, verify } = ctx.passwords
  const noting = {
    hash: (password: string, turn: PasswordTurn) => {
      turns.push(turn)
      return hash(password, turn)
    },
    verify: (stored: string | null, password: string, turn: PasswordTurn) => {
      turns.push(turn)
      return verify(stored, password, turn)
    },
  }
  const service = api({ ...ctx, passwords: noting }, '192.0.2.1')
  const email = newEmail()
  const registered = await register(service, { email })
  const userId = registered.body.user.id as string
  const turnsOfAll = async (device: string | null) => {
    turns.length = 0
    const session = await login(service, email, undefined, device ?? '')
    const change = { current_password: PASSWORD, new_password: PASSWORD }
    await browser(service, cookieOf(session.headers) ?? '').post('/password/change/', change)
    const { url } = await ctx.db.begin((tx) => createHandedLink(ctx, tx, userId, false))
    const reset = { token: url.split('#')[1], new_password: PASSWORD }
    const answer = await service.anonymous.post('/service/auth/password/reset/', reset)
    expect(answer.status).toBe(204)
    return { device: deviceOf(answer.headers), turns: [...turns] }
  }
  const before = await turnsOfAll(deviceOf(registered.headers))
  expect(before.turns).toEqual(Array(4).fill({ account: userId }))
  const role = await roleOf(ctx, 'developer')
  await ctx.db.begin((tx) => addMember(ctx, tx, { organisationId: role.organisation_id, userId, role }))
  expect((await turnsOfAll(before.device)).turns).toEqual(Array(4).fill({ member: userId }))
})
