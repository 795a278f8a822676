import { afterEach, beforeEach, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { login, PASSWORD, register } from '../../support/sign-in.ts'
import { redirectUri, ssoBrowser } from '../../support/sso.ts'

let idp: IdentityProvider
let ctx: TestContext

beforeEach(async () => {
  idp = await startIdentityProvider([redirectUri('one')])
  ctx = await testContext({ ...idp.variables('one'), RATE_LIMIT_AUTH: 'off' }, new Date())
})
afterEach(async () => {
  await ctx.close()
  await idp.close()
})

/** Callbacks of different people, who are all back from the provider. */
async function comingBack(replicas: ReturnType<typeof api>[]) {
  const coming: (() => Promise<number>)[] = []
  for (const [i, replica] of replicas.entries()) {
    idp.person = { sub: `person-${i}`, email: `person-${i}@example.org`, email_verified: true }
    const browser = ssoBrowser(replica)
    const callback = await idp.visit(await browser.begin('one'))
    coming.push(async () => (await browser.comeBack(callback)).status)
  }
  return coming
}

test('of first sign-ins at the same moment exactly one founds the organisation', async () => {
  const replicas = [api(ctx), api(ctx), api(ctx), api(ctx)]
  const coming = await comingBack(replicas)
  expect(await Promise.all(coming.map((comeBack) => comeBack()))).toEqual([302, 302, 302, 302])
  expect(await ctx.db`select 1 from organisations`).toHaveLength(1)
  expect(await ctx.db`select 1 from members`).toHaveLength(1)
  expect(await ctx.db`select 1 from users`).toHaveLength(4)
})

test('where registration is by invite, whoever is second gets no account', async () => {
  const config = testConfig({ ...idp.variables('one'), RATE_LIMIT_AUTH: 'off', REGISTRATION: 'invite' })
  const coming = await comingBack([api({ ...ctx, config }), api({ ...ctx, config })])
  const statuses = await Promise.all(coming.map((comeBack) => comeBack()))
  expect(statuses.sort()).toEqual([302, 403])
  expect(await ctx.db`select 1 from users`).toHaveLength(1)
})

test('a registration with a password at the same moment is another account, or the same address once', async () => {
  const service = api(ctx)
  const [comeBack] = await comingBack([service])
  const [byPassword, bySso] = await Promise.all([
    register(service, { email: 'person-0@example.org' }),
    comeBack?.(),
  ])
  // Who comes second is told: by 409 that the address is taken, or by 403 that the account exists.
  expect([
    [201, 403],
    [201, 409],
    [409, 302],
  ]).toContainEqual([byPassword.status, bySso as number])
  expect(await ctx.db`select 1 from users`).toHaveLength(1)
  expect(await ctx.db`select 1 from organisations`).toHaveLength(1)
  const { status } = await login(service, 'person-0@example.org', PASSWORD)
  expect(status).toBe(byPassword.status === 201 ? 200 : 401)
})
