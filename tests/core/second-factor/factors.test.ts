import { afterAll, beforeAll, expect, test } from 'bun:test'
import { hasFactor, methodsOf, removeAllFactors } from '../../../src/core/second-factor/factors.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { addPasskey, setUpTotp } from '../../support/factors.ts'
import { runJobs } from '../../support/jobs.ts'
import { newEmail, register, signIn } from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext({
    RATE_LIMIT_AUTH: 'off',
    SMTP_HOST: 'mail.example.org',
    SMTP_FROM: 'keyward@example.org',
  })
  service = api(ctx)
})
afterAll(() => ctx.close())

test('what counts as a factor, and what it can be proved with', () => {
  const nothing = { passkeys: 0, foreign_passkeys: 0, has_totp: false, recovery_codes: 0 }
  expect([hasFactor(nothing), methodsOf(nothing)]).toEqual([false, []])
  const codes = { ...nothing, recovery_codes: 3 }
  expect([hasFactor(codes), methodsOf(codes)]).toEqual([false, ['recovery']])
  const elsewhere = { ...codes, foreign_passkeys: 1 }
  expect([hasFactor(elsewhere), methodsOf(elsewhere)]).toEqual([true, ['recovery']])
  const all = { passkeys: 1, foreign_passkeys: 0, has_totp: true, recovery_codes: 1 }
  expect([hasFactor(all), methodsOf(all)]).toEqual([true, ['passkey', 'totp', 'recovery']])
})

test('each change is mailed to the account, and all factors can be removed at once', async () => {
  const email = newEmail()
  const { user } = (await register(service, { email })).body
  const session = await signIn(service, email)
  const { id } = await addPasskey(session, 'Key ring')
  await setUpTotp(ctx, session)
  await session.post('/recovery-codes', {})
  await session.delete(`/passkeys/${id}`)
  await session.delete('/totp')
  expect(await runJobs(ctx)).toEqual(Array(5).fill('send-notice'))
  const mails = ctx.mailer.sent.map(({ to, text }) => [to, text.split('\n')[0]])
  expect(mails).toEqual([
    [email, 'The passkey “Key ring” was added to the ways to sign in to your account.'],
    [email, 'An authenticator app was added to the ways to sign in to your account.'],
    [email, 'You have new recovery codes. The old ones are void.'],
    [email, 'The passkey “Key ring” was removed from the ways to sign in to your account.'],
    [email, 'An authenticator app was removed from the ways to sign in to your account.'],
  ])

  await addPasskey(session)
  await setUpTotp(ctx, session)
  const removed = await ctx.db.begin((tx) => removeAllFactors(tx, user.id))
  expect(removed).toEqual({ passkeys: 1, totp: 1, recovery_codes: 10 })
  expect(await ctx.db.begin((tx) => removeAllFactors(tx, user.id))).toEqual({
    passkeys: 0,
    totp: 0,
    recovery_codes: 0,
  })
  expect((await signIn(service, email)).cookie).not.toBe('')
  await runJobs(ctx)
})

test('a password that was reset removes none', async () => {
  const email = newEmail()
  const { user } = (await register(service, { email })).body
  await ctx.db`update users set email_verified_at = ${ctx.clock.now()} where id = ${user.id}`
  await setUpTotp(ctx, await signIn(service, email))
  await service.anonymous.post('/service/auth/password/forgot', { email })
  await runJobs(ctx)
  const token = /#(\S+)/.exec(ctx.mailer.sent.at(-1)?.text ?? '')?.[1]
  const new_password = 'another long password'
  expect((await service.anonymous.post('/service/auth/password/reset', { token, new_password })).status).toBe(
    204,
  )
  const { body } = await service.anonymous.post('/service/auth/password/login', {
    email,
    password: new_password,
  })
  expect(body.secondFactor.methods).toEqual(['totp', 'recovery'])
  await runJobs(ctx)
})
