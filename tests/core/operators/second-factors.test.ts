import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createResetLink, listAccounts } from '../../../src/core/operators/accounts.ts'
import { api } from '../../support/api.ts'
import { entriesAbout } from '../../support/audit-entries.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey, setUpTotp, visitor } from '../../support/factors.ts'
import { login, newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'

const NEW_PASSWORD = 'a new password'

let ctx: TestContext
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  await register(service)
})
afterAll(() => ctx.close())

/** An account with an authenticator app, a passkey and recovery codes. */
async function account() {
  const email = newEmail()
  const id = (await register(service, { email })).body.user.id as string
  const session = await signIn(service, email)
  await setUpTotp(ctx, session)
  const { authenticator } = await addPasskey(session)
  return { id, email, authenticator }
}

const listed = async (email: string) =>
  (await Array.fromAsync(listAccounts(ctx))).flat().find((one) => one.email === email)
const reset = (url: string) =>
  service.anonymous.post('/service/auth/password/reset/', {
    token: url.split('#')[1],
    new_password: NEW_PASSWORD,
  })
const isAskedForFactor = async (email: string, password: string) =>
  (await login(service, email, password)).body.secondFactor !== undefined

test('a reset link removes no second factor, unless it was made for that', async () => {
  const { email } = await account()
  expect(await listed(email)).toMatchObject({ methods: ['password'], secondFactors: ['passkey', 'totp'] })
  expect((await reset((await createResetLink(ctx, email)).url)).status).toBe(204)
  expect(await isAskedForFactor(email, NEW_PASSWORD)).toBe(true)
})

test('one that was made for that removes all of them when it is used, and not before', async () => {
  const { id, email, authenticator } = await account()
  const { url } = await createResetLink(ctx, email, { removesFactors: true })
  expect(await isAskedForFactor(email, PASSWORD)).toBe(true)
  expect((await reset(url)).status).toBe(204)
  const { status, body } = await login(service, email, NEW_PASSWORD)
  expect([status, body.user.email]).toEqual([200, email])
  expect(await listed(email)).toMatchObject({ secondFactors: [] })
  const person = visitor(service)
  const passkey = await person.assertion(authenticator)
  expect((await person.post('/passkeys/sign-in', { passkey })).status).toBe(401)
  const entries = await entriesAbout(ctx, id)
  expect(
    entries.find(({ event_type }) => event_type === 'user.reset_link_created')?.new_values,
  ).toMatchObject({
    removesSecondFactors: true,
  })
  expect(entries.find(({ event_type }) => event_type === 'user.second_factors_removed')?.old_values).toEqual({
    passkeys: 1,
    totp: 1,
    recoveryCodes: 10,
  })
})

test('a newer link that was not made for that voids it, and leaves the factors', async () => {
  const { email } = await account()
  const { url } = await createResetLink(ctx, email, { removesFactors: true })
  const newer = await createResetLink(ctx, email)
  expect((await reset(url)).status).toBe(404)
  await reset(newer.url)
  expect(await isAskedForFactor(email, NEW_PASSWORD)).toBe(true)
})

test('of an account without a factor it tells nothing', async () => {
  const email = newEmail()
  const id = (await register(service, { email })).body.user.id as string
  await reset((await createResetLink(ctx, email, { removesFactors: true })).url)
  const types = (await entriesAbout(ctx, id)).map(({ event_type }) => event_type)
  expect(types).toContain('user.password_reset')
  expect(types).not.toContain('user.second_factors_removed')
})
