import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fakeClock } from '../../../src/platform/clock.ts'
import { createProviders } from '../../../src/platform/sso/providers.ts'
import { selfSignedCertificate } from '../../support/certificate.ts'
import { testConfig } from '../../support/context.ts'
import { type MaliciousProvider, startMaliciousProvider } from '../../support/malicious-provider.ts'
import { failureOf, newChecks, signInAt } from '../../support/sso-steps.ts'

const clock = fakeClock()
let secured: MaliciousProvider

beforeAll(() => {
  secured = startMaliciousProvider(clock, selfSignedCertificate())
})
afterAll(() => secured.close())

function start(variables: Record<string, string> = {}) {
  const [provider] = createProviders(testConfig({ ...secured.variables('idp'), ...variables }).sso, clock)
  if (provider === undefined) throw new Error('There is no provider.')
  return provider
}

test('a provider with a private certificate authority is trusted by SSO_CA', async () => {
  expect(await signInAt(start({ SSO_ALLOW_HTTP_ISSUERS: 'false' }), secured)).toMatchObject({
    subject: 'ada',
  })
})

test.each([
  ['no', ''],
  ['another', selfSignedCertificate().cert],
])('with %s certificate authority it is not, and the operator reads what to set', async (_, ca) => {
  const failure = await failureOf(start({ SSO_CA: ca }).authorizationUrl(newChecks()))
  expect(failure).toStartWith(
    `provider-unavailable: ${secured.issuer}/.well-known/openid-configuration can't be reached: `,
  )
  expect(failure).toEndWith('Its certificate is not trusted: SSO_CA takes the certificate authority.')
})
