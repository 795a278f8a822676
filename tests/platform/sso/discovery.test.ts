import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { fakeClock } from '../../../src/platform/clock.ts'
import type { SsoProvider } from '../../../src/platform/sso/provider.ts'
import { createProviders } from '../../../src/platform/sso/providers.ts'
import { testConfig } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import {
  type MaliciousProvider,
  silence,
  startMaliciousProvider,
  statusOnly,
} from '../../support/malicious-provider.ts'
import { failureOf, newChecks, signInAt } from '../../support/sso-steps.ts'

const clock = fakeClock()
let malicious: MaliciousProvider

beforeAll(() => {
  malicious = startMaliciousProvider(clock)
})
afterEach(() => malicious.reset())
afterAll(() => malicious.close())

function start(stepMilliseconds?: number): SsoProvider {
  const { sso } = testConfig(malicious.variables('idp'))
  const [provider] = createProviders(sso, clock, stepMilliseconds === undefined ? {} : { stepMilliseconds })
  if (provider === undefined) throw new Error('There is no provider.')
  return provider
}

const asked = () => malicious.requests.filter(({ endpoint }) => endpoint === 'discovery').length

test('nothing is asked before the first use; then a minute of sign-ins rests on one answer', async () => {
  const provider = start()
  expect(asked()).toBe(0)
  await Promise.all([signInAt(provider, malicious), signInAt(provider, malicious)])
  clock.advance(59)
  await signInAt(provider, malicious)
  expect(asked()).toBe(1)
  clock.advance(2)
  await signInAt(provider, malicious)
  expect(asked()).toBe(2)
})

test('a new sign-in takes what has changed; one under way is finished while the issuer is down', async () => {
  const provider = start()
  const checks = newChecks()
  const callback = await malicious.visit(await provider.authorizationUrl(checks))
  malicious.answers.discovery = statusOnly(503)
  clock.advance(120)
  expect((await provider.profileOf(callback, checks)).subject).toBe('ada')
  expect(await failureOf(provider.authorizationUrl(newChecks()))).toEndWith('answered with status 503.')
  malicious.answers = {}
  malicious.metadata = { authorization_endpoint: `${malicious.issuer}/elsewhere` }
  expect((await provider.authorizationUrl(newChecks())).pathname).toBe('/elsewhere')
})

test('whether it is available is said at once, by the last answer, and asked again after a minute', async () => {
  const provider = start(1000)
  malicious.answers.discovery = silence
  const began = performance.now()
  expect(provider.isAvailable()).toBe(true)
  expect(performance.now() - began).toBeLessThan(500)
  await eventually('it is unavailable', () => !provider.isAvailable())
  expect(asked()).toBe(1)

  malicious.answers = {}
  clock.advance(59)
  expect(provider.isAvailable()).toBe(false)
  clock.advance(2)
  expect(provider.isAvailable()).toBe(false)
  await eventually('it is available', () => provider.isAvailable())
  expect(asked()).toBe(2)
})

test('a sign-in that works makes it available again', async () => {
  const provider = start()
  malicious.answers.discovery = statusOnly(500)
  await failureOf(provider.authorizationUrl(newChecks()))
  expect(provider.isAvailable()).toBe(false)
  malicious.answers = {}
  await provider.authorizationUrl(newChecks())
  expect(provider.isAvailable()).toBe(true)
})

test('the log says once that a provider is gone and why, and once that it is back', async () => {
  const { log, lines } = recordedLog()
  const { sso } = testConfig(malicious.variables('idp'))
  const [provider] = createProviders(sso, clock, { log })
  if (provider === undefined) throw new Error('There is no provider.')
  malicious.answers.discovery = statusOnly(503)
  for (let attempt = 0; attempt < 3; attempt++) await failureOf(provider.authorizationUrl(newChecks()))
  malicious.answers = {}
  for (let attempt = 0; attempt < 3; attempt++) await provider.authorizationUrl(newChecks())
  const cause = `${malicious.issuer}/.well-known/openid-configuration answered with status 503.`
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 40, provider: 'idp', cause }),
    expect.objectContaining({ level: 30, provider: 'idp' }),
  ])
})

test('an issuer that calls itself something else is refused, and the operator reads both', async () => {
  malicious.metadata = { issuer: 'https://other.example' }
  expect(await failureOf(start().authorizationUrl(newChecks()))).toBe(
    `provider-unavailable: The issuer calls itself "https://other.example", the setting says ${malicious.issuer}: ` +
      'they must be the same to the letter.',
  )
})

test.each([
  'http://127.0.0.1:5432/token',
  'http://127.1/token',
  'http://2130706433/token',
  'http://[::1]/token',
  'http://[::ffff:127.0.0.1]/token',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/token',
  'http://app.localhost/token',
  'http://LOCALHOST./token',
  'ftp://idp.example/token',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://user:password@idp.example/token',
  '/token',
  7,
  null,
])('an endpoint at %p is refused before anything is sent there', async (endpoint) => {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint']) {
    malicious.metadata = { [name]: endpoint }
    const failure = await failureOf(start().authorizationUrl(newChecks()))
    expect(failure).toMatch(/^provider-unavailable: The (discovery document|issuer)/)
    expect(failure).not.toContain('password')
  }
})

test('an issuer with TLS may not have an endpoint without', async () => {
  const send = async () =>
    Response.json({
      issuer: 'https://idp.example',
      authorization_endpoint: 'https://idp.example/authorize',
      token_endpoint: 'http://idp.example/token',
      jwks_uri: 'https://idp.example/keys',
    })
  const { sso } = testConfig({ ...malicious.variables('idp'), IDP_ISSUER: 'https://idp.example' })
  const [provider] = createProviders(sso, clock, { fetch: send })
  if (provider === undefined) throw new Error('There is no provider.')
  expect(await failureOf(provider.authorizationUrl(newChecks()))).toBe(
    'provider-unavailable: The discovery document has a token_endpoint that may not be used: http://idp.example.',
  )
})

test.each([
  [undefined, 'authorization'],
  [['client_secret_basic'], 'authorization'],
  [['client_secret_basic', 'client_secret_post'], 'body'],
] as const)('the secret is sent where the issuer takes it: %p', async (methods, place) => {
  malicious.metadata = { token_endpoint_auth_methods_supported: methods }
  await signInAt(start(), malicious)
  const request = malicious.requests.find(({ endpoint }) => endpoint === 'token')
  expect(request?.parameters.get('client_secret') ?? null).toBe(place === 'body' ? 'secret-of-keyward' : null)
  expect(request?.authorization?.startsWith('Basic ') ?? false).toBe(place === 'authorization')
})
