import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { allowNextLink, listAccounts } from '../../../src/core/operators/accounts.ts'
import { api } from '../../support/api.ts'
import { entriesAbout, trailAsText } from '../../support/audit-entries.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { owner } from '../../support/people.ts'
import { register } from '../../support/sign-in.ts'
import { redirectUri, ssoBrowser } from '../../support/sso.ts'

const EMAIL = 'grace@example.org'

let idp: IdentityProvider
let ctx: TestContext
let service: ReturnType<typeof api>

beforeAll(async () => {
  idp = await startIdentityProvider([redirectUri('keycloak')])
})
afterAll(() => idp.close())
beforeEach(async () => {
  idp.person = { sub: 'grace', email: EMAIL, email_verified: true, name: 'Grace' }
  ctx = await testContext({ ...idp.variables('keycloak'), RATE_LIMIT_AUTH: 'off' }, new Date())
  service = api(ctx)
  await owner(ctx)
  await register(service, { email: EMAIL })
})
afterEach(() => ctx.close())

const statusOfSignIn = async () => (await ssoBrowser(service).signIn('keycloak', idp)).status

test('the next single sign-on with the address links to the account, once, and is listed then', async () => {
  expect(await statusOfSignIn()).toBe(403)
  await allowNextLink(ctx, EMAIL.toUpperCase())
  expect(await statusOfSignIn()).toBe(302)
  const found = (await Array.fromAsync(listAccounts(ctx))).flat().find(({ email }) => email === EMAIL)
  expect(found).toMatchObject({ methods: ['password', 'keycloak'], emailVerified: true })
  idp.person = { ...idp.person, sub: 'somebody else' }
  expect(await statusOfSignIn()).toBe(403)
})

test('it lasts 24 hours, and a new one begins again', async () => {
  const until = await allowNextLink(ctx, EMAIL)
  expect(until.getTime() - ctx.clock.now().getTime()).toBe(24 * 3600 * 1000)
  const [stored] = await ctx.db`select link_allowed_until from users where email = ${EMAIL}`
  expect(stored?.link_allowed_until).toEqual(until)
  ctx.clock.advance(3600)
  expect((await allowNextLink(ctx, EMAIL)).getTime()).toBe(until.getTime() + 3_600_000)
})

test('an address that the provider has not verified, or another one, links nothing', async () => {
  await allowNextLink(ctx, EMAIL)
  idp.person = { ...idp.person, email_verified: false }
  expect(await statusOfSignIn()).toBe(403)
  idp.person = { sub: 'eve', email: 'eve@example.org', email_verified: true, name: 'Eve' }
  await statusOfSignIn()
  const linked = await ctx.db`select u.email from sso_identities i join users u on u.id = i.user_id`
  expect(linked.map(({ email }) => email)).not.toContain(EMAIL)
})

test('its entry names the operator, and no address', async () => {
  const until = await allowNextLink(ctx, EMAIL)
  const [user] = await ctx.db`select id from users where email = ${EMAIL}`
  expect(await entriesAbout(ctx, user?.id)).toContainEqual(
    expect.objectContaining({
      event_type: 'user.link_allowed',
      actor_id: null,
      new_values: { until: until.toISOString() },
    }),
  )
  expect(await trailAsText(ctx)).not.toContain(EMAIL)
})

test('without an identity provider, or for an unknown address, it says so', async () => {
  await expect(allowNextLink(ctx, 'nobody@example.org')).rejects.toThrow('No account has the e-mail address')
  const without = { ...ctx, config: testConfig() }
  await expect(allowNextLink(without, EMAIL)).rejects.toThrow('No identity provider is configured')
})
