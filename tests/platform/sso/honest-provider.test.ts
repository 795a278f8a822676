import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fakeClock } from '../../../src/platform/clock.ts'
import type { SsoProvider } from '../../../src/platform/sso/provider.ts'
import { createProviders } from '../../../src/platform/sso/providers.ts'
import { testConfig } from '../../support/context.ts'
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'

const redirectUri = 'http://localhost:8080/service/auth/sso/keycloak/callback/'
const checks = {
  state: 'state-of-this-browser-00000000000',
  nonce: 'nonce-of-this-browser-00000000000',
  codeVerifier: 'verifier-of-this-browser-0000000000000000000',
  redirectUri,
}

let identityProvider: IdentityProvider
let provider: SsoProvider

beforeAll(async () => {
  identityProvider = await startIdentityProvider([redirectUri])
  const { sso } = testConfig(identityProvider.variables('keycloak'))
  const [first] = createProviders(sso, fakeClock(new Date()))
  if (first) provider = first
})
afterAll(() => identityProvider.close())

test('a person signs in: the profile has the issuer, the subject, the verified address and the name', async () => {
  const callback = await identityProvider.visit(await provider.authorizationUrl(checks))
  expect(await provider.profileOf(callback, checks)).toEqual({
    issuer: identityProvider.issuer,
    subject: 'ada',
    email: 'ada@example.org',
    emailVerified: true,
    fullName: 'Ada Lovelace',
  })
})
