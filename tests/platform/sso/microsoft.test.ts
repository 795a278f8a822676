import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { fakeClock } from '../../../src/platform/clock.ts'
import type { SsoProvider } from '../../../src/platform/sso/provider.ts'
import { createProviders } from '../../../src/platform/sso/providers.ts'
import { testConfig } from '../../support/context.ts'
import {
  type Claims,
  type MaliciousProvider,
  startMaliciousProvider,
} from '../../support/malicious-provider.ts'
import { failureOf, newChecks } from '../../support/sso-steps.ts'

const clock = fakeClock()
const MICROSOFT = 'https://login.microsoftonline.com'
const tenant = '11111111-2222-3333-4444-555555555555'
const otherTenant = '99999999-2222-3333-4444-555555555555'
const issuerOf = (id: string) => `${MICROSOFT}/${id}/v2.0`
let entra: MaliciousProvider

beforeAll(() => {
  entra = startMaliciousProvider(clock)
})
afterEach(() => entra.reset())
afterAll(() => entra.close())

/** Entra ID as a deployment with this issuer sees it: `states` is the issuer of its discovery document. */
function start(issuer: string, states: string): SsoProvider {
  entra.metadata = {
    issuer: states,
    authorization_endpoint: `${MICROSOFT}/authorize`,
    token_endpoint: `${MICROSOFT}/token`,
    jwks_uri: `${MICROSOFT}/keys`,
    userinfo_endpoint: 'https://graph.microsoft.com/userinfo',
    authorization_response_iss_parameter_supported: undefined,
  }
  const { sso } = testConfig({ ...entra.variables('microsoft'), MICROSOFT_ISSUER: issuer })
  const asked: string[] = []
  const send = (url: string, init: RequestInit) => {
    asked.push(url)
    const path = new URL(url).pathname.replace(/^.*(?=\/\.well-known)/, '')
    return fetch(`${entra.issuer}${path}`, init)
  }
  const [provider] = createProviders(sso, clock, { fetch: send })
  if (provider === undefined) throw new Error('There is no provider.')
  return provider
}

async function signIn(provider: SsoProvider, claims: Claims) {
  entra.claims = ({ email_verified: _, ...honest }) => ({ ...honest, ...claims })
  const checks = newChecks()
  const url = await provider.authorizationUrl(checks)
  const callback = await entra.visit(new URL(`${entra.issuer}/authorize${url.search}`))
  callback.searchParams.delete('iss')
  return provider.profileOf(callback, checks)
}

test('one tenant: its people sign in, and those of another don’t', async () => {
  const provider = start(issuerOf(tenant), issuerOf(tenant))
  const claims = { iss: issuerOf(tenant), tid: tenant, xms_edov: true }
  expect(await signIn(provider, claims)).toEqual({
    issuer: issuerOf(tenant),
    subject: 'ada',
    email: 'ada@example.org',
    emailVerified: true,
    fullName: 'Ada Lovelace',
  })
  const failure = await failureOf(
    signIn(provider, { ...claims, iss: issuerOf(otherTenant), tid: otherTenant }),
  )
  expect(failure).toStartWith(
    `invalid-response: The ID token is of the issuer "${issuerOf(otherTenant)}", not of`,
  )
})

test.each([MICROSOFT, `${MICROSOFT}/`, issuerOf('organizations'), issuerOf('common')])(
  'several tenants by %s: the same subject of two tenants is two people',
  async (issuer) => {
    const provider = start(issuer, issuerOf('{tenantid}'))
    const of = (id: string) => signIn(provider, { iss: issuerOf(id), tid: id, xms_edov: true })
    expect(await of(tenant)).toMatchObject({ issuer: issuerOf(tenant), subject: 'ada' })
    expect(await of(otherTenant)).toMatchObject({ issuer: issuerOf(otherTenant), subject: 'ada' })
  },
)

test.each<[string, Claims]>([
  ['the issuer of another tenant than its tid', { iss: issuerOf(tenant), tid: otherTenant }],
  ['no tid', { iss: issuerOf(tenant) }],
  ['the issuer of another host', { iss: `https://evil.example/${tenant}/v2.0`, tid: tenant }],
  ['the template as its issuer', { iss: issuerOf('{tenantid}'), tid: '{tenantid}' }],
  ['a tid that is a path', { iss: issuerOf('a/../b'), tid: 'a/../b' }],
])('several tenants: a token with %s is refused', async (_, claims) => {
  const provider = start(MICROSOFT, issuerOf('{tenantid}'))
  const failure = await failureOf(signIn(provider, { ...claims, xms_edov: true }))
  expect(failure).toStartWith('invalid-response: ')
})

test.each([
  [{}, false],
  [{ email_verified: true }, false],
  [{ xms_edov: false }, false],
  [{ xms_edov: '0' }, false],
  [{ xms_edov: 'false' }, false],
  [{ xms_edov: true }, true],
  [{ xms_edov: 1 }, true],
  [{ xms_edov: '1' }, true],
  [{ xms_edov: 'true' }, true],
])(
  'an address that any tenant can write counts as verified only by xms_edov: %p',
  async (claims, emailVerified) => {
    const provider = start(MICROSOFT, issuerOf('{tenantid}'))
    const profile = await signIn(provider, { iss: issuerOf(tenant), tid: tenant, ...claims })
    expect(profile).toMatchObject({ email: 'ada@example.org', emailVerified })
  },
)

test('what the userinfo endpoint says of the address does not verify it', async () => {
  const provider = start(MICROSOFT, issuerOf('{tenantid}'))
  entra.userinfo = { sub: 'ada', email: 'ada@example.org', email_verified: true }
  const profile = await signIn(provider, { iss: issuerOf(tenant), tid: tenant })
  expect(profile.emailVerified).toBe(false)
})
