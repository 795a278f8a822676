import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fakeClock } from '../../../src/platform/clock.ts'
import type { SsoProvider } from '../../../src/platform/sso/provider.ts'
import { createProviders } from '../../../src/platform/sso/providers.ts'
import { testConfig } from '../../support/context.ts'
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { failureOf, newChecks, redirectUri, signInAt } from '../../support/sso-steps.ts'

let identityProvider: IdentityProvider
let provider: SsoProvider

beforeAll(async () => {
  identityProvider = await startIdentityProvider([redirectUri])
  const [first] = createProviders(testConfig(identityProvider.variables('idp')).sso, fakeClock(new Date()))
  if (first) provider = first
})
afterAll(() => identityProvider.close())

test('a person signs in: the profile has issuer, subject, verified address and name', async () => {
  expect(await signInAt(provider, identityProvider)).toEqual({
    issuer: identityProvider.issuer,
    subject: 'ada',
    email: 'ada@example.org',
    emailVerified: true,
    fullName: 'Ada Lovelace',
  })
})

test('the browser is sent with code flow, state, nonce and an S256 challenge, and without the secret', async () => {
  const checks = newChecks()
  const url = await provider.authorizationUrl(checks)
  const { code_challenge, ...parameters } = Object.fromEntries(url.searchParams)
  expect(parameters).toEqual({
    client_id: 'keyward',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: checks.state,
    nonce: checks.nonce,
    code_challenge_method: 'S256',
  })
  expect(code_challenge).toBe(new Bun.CryptoHasher('sha256').update(checks.codeVerifier).digest('base64url'))
  expect(url.href).not.toContain(identityProvider.clientSecret)
})

test('a code is good once, with the verifier that it was asked for with', async () => {
  const checks = newChecks()
  const callback = await identityProvider.visit(await provider.authorizationUrl(checks))
  const other = { ...checks, codeVerifier: newChecks().codeVerifier }
  const refusal =
    'refused-by-provider: The token endpoint answered with the error invalid_grant: the code was used before or is ' +
    `too old, or the redirect address differs from the registered one. The redirect address is ${redirectUri}.`
  expect(await failureOf(provider.profileOf(callback, other))).toBe(refusal)

  const again = newChecks()
  const fresh = await identityProvider.visit(await provider.authorizationUrl(again))
  await provider.profileOf(fresh, again)
  expect(await failureOf(provider.profileOf(fresh, again))).toBe(refusal)
})

test('a code that was asked for with another nonce is refused', async () => {
  const checks = newChecks()
  const callback = await identityProvider.visit(await provider.authorizationUrl(checks))
  expect(await failureOf(provider.profileOf(callback, { ...checks, nonce: newChecks().nonce }))).toBe(
    'invalid-response: unexpected ID Token "nonce" claim value.',
  )
})

test.each([
  ['another state', (url: URL) => url.searchParams.set('state', 'other'), 'unexpected "state" response'],
  ['no state', (url: URL) => url.searchParams.delete('state'), 'response parameter "state" missing'],
  [
    'two states',
    (url: URL) => url.searchParams.append('state', 'other'),
    '"state" parameter must be provided',
  ],
  [
    'the issuer of another provider',
    (url: URL) => url.searchParams.set('iss', 'https://other.example'),
    '"iss"',
  ],
  ['no issuer', (url: URL) => url.searchParams.delete('iss'), 'response parameter "iss" (issuer) missing'],
  ['no code', (url: URL) => url.searchParams.delete('code'), 'no authorization code'],
] as const)('a callback with %s is refused before its code is used', async (_, change, sentence) => {
  const checks = newChecks()
  const callback = await identityProvider.visit(await provider.authorizationUrl(checks))
  const changed = new URL(callback)
  change(changed)
  const failure = await failureOf(provider.profileOf(changed, checks))
  expect(failure).toStartWith('invalid-response: ')
  expect(failure).toContain(sentence)
  expect((await provider.profileOf(callback, checks)).subject).toBe('ada')
})

test.each([
  ['access_denied', 'declined'],
  ['temporarily_unavailable', 'provider-unavailable'],
  ['unauthorized_client', 'refused-by-provider'],
])('a callback with the error %s is %s', async (error, reason) => {
  const checks = newChecks()
  await provider.authorizationUrl(checks)
  const callback = new URL(redirectUri)
  callback.search = new URLSearchParams({
    error,
    error_description: 'ada@example.org said no',
    state: checks.state,
    iss: identityProvider.issuer,
  }).toString()
  expect(await failureOf(provider.profileOf(callback, checks))).toBe(
    `${reason}: The provider sent the person back with the error ${error}.`,
  )
})

test('a wrong client secret is told to the operator', async () => {
  const variables = { ...identityProvider.variables('idp'), IDP_CLIENT_SECRET: 'wrong' }
  const [other] = createProviders(testConfig(variables).sso, fakeClock(new Date()))
  if (other === undefined) throw new Error('There is no provider.')
  expect(await failureOf(signInAt(other, identityProvider))).toBe(
    'refused-by-provider: The token endpoint answered with the error invalid_client: check the client id and the ' +
      `client secret. The redirect address is ${redirectUri}.`,
  )
})

test('an address that the provider did not verify is told as such', async () => {
  const honest = identityProvider.person
  identityProvider.person = { ...honest, sub: 'eve', email_verified: false }
  expect(await signInAt(provider, identityProvider)).toMatchObject({ subject: 'eve', emailVerified: false })
  identityProvider.person = { sub: 'bob' }
  expect(await signInAt(provider, identityProvider)).toMatchObject({
    email: null,
    emailVerified: false,
    fullName: '',
  })
  identityProvider.person = honest
})
