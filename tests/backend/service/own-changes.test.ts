import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { SignedInUser } from '../../../src/core/sessions/session.ts'
import { countOwnChange } from '../../../src/core/sign-in/own-change.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { setUpTotp } from '../../support/factors.ts'
import { owner } from '../../support/people.ts'
import { newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext({
    RATE_LIMIT_AUTH: 'off',
    SMTP_HOST: 'localhost',
    SMTP_FROM: 'keyward@example.org',
  })
  service = api(ctx)
  await owner(ctx)
})
afterEach(async () => {
  await ctx.db`delete from pgboss.job`
})
afterAll(() => ctx.close())

/** A session of a new account whose address is verified. */
async function somebody() {
  const email = newEmail()
  await register(service, { email })
  await ctx.db`update users set email_verified_at = created_at where email = ${email}`
  return { email, session: await signIn(service, email) }
}

test('sixty changes an hour to how one account signs in, whatever RATE_LIMIT_AUTH says, and so no more mails', async () => {
  ctx.clock.advance(3600 - ((ctx.clock.now().getTime() / 1000) % 3600))
  const ada = await somebody()
  await setUpTotp(ctx, ada.session)
  const renew = async (of = ada) => (await of.session.post('/recovery-codes/', {})).status
  const counted = { 200: 0, 429: 0 } as Record<number, number>
  for (let i = 0; i < 70; i++) {
    const status = await renew()
    counted[status] = (counted[status] ?? 0) + 1
  }
  expect(counted).toEqual({ 200: 58, 429: 12 })
  const [row] = await ctx.db`select count(*)::int from pgboss.job where name = 'send-notice'`
  expect(row?.count).toBe(59)

  const refused = await ada.session.post('/recovery-codes/', {})
  expect(refused.body).toEqual({ error: 'Too many changes to how you sign in. Try again later.' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ada.session.delete('/totp/')).status).toBe(429)

  const eve = await somebody()
  await setUpTotp(ctx, eve.session)
  expect(await renew(eve)).toBe(200)
})

test('changes of the password count, too, and wrong guesses at the present one do not', async () => {
  ctx.clock.advance(3600 - ((ctx.clock.now().getTime() / 1000) % 3600))
  const { email } = await somebody()
  const change = async (current_password: string) => {
    const session = await signIn(service, email)
    const { status } = await session.post('/password/change/', { current_password, new_password: PASSWORD })
    return status
  }
  expect(await change('wrong password')).toBe(403)
  const [user] = await ctx.db`select id from users where email = ${email}`
  const caller = { id: null, userId: user?.id } as SignedInUser
  for (let i = 0; i < 58; i++) await countOwnChange(ctx, caller)
  expect([await change(PASSWORD), await change(PASSWORD), await change(PASSWORD)]).toEqual([204, 204, 429])
  expect(await change('wrong password')).toBe(403)
})

test('and sixty more in the next hour', async () => {
  const { email, session } = await somebody()
  await setUpTotp(ctx, session)
  for (let i = 0; i < 58; i++) await session.post('/recovery-codes/', {})
  expect((await session.post('/recovery-codes/', {})).status).toBe(429)
  ctx.clock.advance(3600)
  await ctx.db`update sessions set created_at = ${ctx.clock.now()} where user_id = (select id from users where email = ${email})`
  expect((await session.post('/recovery-codes/', {})).status).toBe(200)
})
