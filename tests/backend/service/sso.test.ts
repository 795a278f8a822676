import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { redirectUri, ssoBrowser } from '../../support/sso.ts'

let identityProvider: IdentityProvider
let ctx: TestContext
let service: ReturnType<typeof api>

beforeAll(async () => {
  identityProvider = await startIdentityProvider([redirectUri('keycloak')])
})
afterAll(() => identityProvider.close())

beforeEach(async () => {
  identityProvider.person = { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace' }
  ctx = await testContext({ ...identityProvider.variables('keycloak'), RATE_LIMIT_AUTH: 'off' }, new Date())
  service = api(ctx)
})
afterEach(() => ctx.close())

test('the first person to sign in founds the organisation and is its Owner', async () => {
  const browser = ssoBrowser(service)
  const { status, headers } = await browser.signIn('keycloak', identityProvider)
  expect(status).toBe(302)
  expect(headers.get('location')).toBe('http://localhost/')
  const me = (await service.as(await browser.token()).get('/v1/me')).body
  expect(me).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.org', role: { name: 'Owner' } })
  expect(browser.cookies('keyward_sso_')).toEqual([])
  const [session] = await ctx.db`select method from sessions`
  expect(session).toEqual({ method: 'sso' })
})
