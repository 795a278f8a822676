import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createHmac, createPublicKey } from 'node:crypto'
import { fakeClock } from '../../../src/platform/clock.ts'
import type { SsoProvider } from '../../../src/platform/sso/provider.ts'
import { createProviders } from '../../../src/platform/sso/providers.ts'
import { testConfig } from '../../support/context.ts'
import {
  type Claims,
  type MaliciousProvider,
  part,
  type SigningKey,
  signed,
  signingKey,
  startMaliciousProvider,
} from '../../support/malicious-provider.ts'
import { failureOf, signInAt } from '../../support/sso-steps.ts'

const clock = fakeClock()
const now = clock.now().getTime() / 1000
let malicious: MaliciousProvider
let provider: SsoProvider

beforeAll(() => {
  malicious = startMaliciousProvider(clock)
})
afterEach(() => malicious.reset())
afterAll(() => malicious.close())

const start = () => {
  const [first] = createProviders(testConfig(malicious.variables('idp')).sso, clock)
  if (first === undefined) throw new Error('There is no provider.')
  provider = first
  return provider
}

test('its honest token is taken', async () => {
  expect(await signInAt(start(), malicious)).toEqual({
    issuer: malicious.issuer,
    subject: 'ada',
    email: 'ada@example.org',
    emailVerified: true,
    fullName: 'Ada Lovelace',
  })
})

test('a token for several clients of the issuer is taken if Keyward is the one that it was issued to', async () => {
  malicious.claims = (claims) => ({ ...claims, aud: ['other-client', 'keyward'], azp: 'keyward' })
  expect(await signInAt(start(), malicious)).toMatchObject({ subject: 'ada' })
})

const unsigned = (alg: string) => (claims: Claims) => `${part({ alg, typ: 'JWT' })}.${part(claims)}.`

/** The public key, which everybody has, used as the secret of a MAC. */
function signedWithPublicKey(claims: Claims, key: SigningKey): string {
  const pem = createPublicKey({ key: key.jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  const content = `${part({ alg: 'HS256', typ: 'JWT', kid: key.kid })}.${part(claims)}`
  return `${content}.${createHmac('sha256', pem).update(content).digest('base64url')}`
}

const forger = signingKey('first')

test.each<[string, Partial<Pick<MaliciousProvider, 'token' | 'claims' | 'metadata'>>, string]>([
  ['alg: none', { token: unsigned('none') }, 'unexpected JWT "alg" header parameter (alg is "none").'],
  [
    'alg: none, which the provider says it uses',
    { token: unsigned('none'), metadata: { id_token_signing_alg_values_supported: ['none', 'RS256'] } },
    'alg',
  ],
  ['alg: None', { token: unsigned('None') }, 'alg'],
  [
    'a MAC by the public key',
    { token: signedWithPublicKey, metadata: { id_token_signing_alg_values_supported: ['RS256', 'HS256'] } },
    'alg',
  ],
  [
    'a key that is not the provider’s',
    { token: (claims) => signed(claims, forger) },
    'signature verification failed',
  ],
  ['a key that nobody knows', { token: (claims) => signed(claims, signingKey('?')) }, 'no applicable keys'],
  [
    'a changed part',
    { token: (claims, key) => withOtherClaims(signed(claims, key)) },
    'signature verification failed',
  ],
  ['another audience', { claims: (claims) => ({ ...claims, aud: 'other-client' }) }, 'to another client'],
  ['no audience', { claims: without('aud') }, '"aud" (audience) claim missing'],
  [
    'another client of the same issuer beside Keyward',
    { claims: (claims) => ({ ...claims, aud: ['keyward', 'other-client'] }) },
    'to another client',
  ],
  [
    'another authorized party',
    { claims: (claims) => ({ ...claims, azp: 'other-client' }) },
    'to another client (azp is "other-client"), not to keyward.',
  ],
  [
    'another issuer',
    { claims: (claims) => ({ ...claims, iss: 'https://other.example' }) },
    'of the issuer "https://other.example", not of http',
  ],
  ['no issuer', { claims: without('iss') }, 'claim missing'],
  [
    'another nonce',
    { claims: (claims) => ({ ...claims, nonce: 'other' }) },
    'unexpected ID Token "nonce" claim value.',
  ],
  ['no nonce', { claims: without('nonce') }, '"nonce"'],
  [
    'an expiry in the past',
    { claims: (claims) => ({ ...claims, exp: now - 60 }) },
    ' seconds in the past: compare the clocks',
  ],
  ['no expiry', { claims: without('exp') }, '"exp"'],
  [
    'an issue in the future',
    { claims: (claims) => ({ ...claims, iat: now + 60 }) },
    'iat is 60 seconds in the future: compare the clocks',
  ],
  ['no time of issue', { claims: without('iat') }, '"iat"'],
  [
    'a start in the future',
    { claims: (claims) => ({ ...claims, nbf: now + 60 }) },
    ' seconds in the future: compare the clocks',
  ],
  ['no subject', { claims: without('sub') }, '"sub"'],
  ['a subject that is a number', { claims: (claims) => ({ ...claims, sub: 7 }) }, 'sub'],
  ['an empty subject', { claims: (claims) => ({ ...claims, sub: '' }) }, 'sub'],
  ['a subject too long to keep', { claims: (claims) => ({ ...claims, sub: 'a'.repeat(256) }) }, 'sub'],
  ['a subject with a NUL', { claims: (claims) => ({ ...claims, sub: 'a\0' }) }, 'sub'],
  ['text that is no token', { token: () => 'token' }, 'Invalid JWT'],
  ['an empty text', { token: () => '' }, 'id_token'],
])('a token with %s is refused', async (_, change, sentence) => {
  Object.assign(malicious, change)
  const failure = await failureOf(signInAt(start(), malicious))
  expect(failure).toStartWith('invalid-response: ')
  expect(failure).toContain(sentence)
  expect(failure).not.toContain('@')
  expect(failure).not.toContain('eyJ')
})

test('a response without an ID token is refused', async () => {
  malicious.answers.token = () => Response.json({ access_token: 'a', token_type: 'Bearer' })
  expect(await failureOf(signInAt(start(), malicious))).toContain('"id_token"')
})

test('a key that is new since the last sign-in is taken, and the one before is not', async () => {
  start()
  await signInAt(provider, malicious)
  const before = malicious.key
  malicious.key = signingKey('second')
  expect(await signInAt(provider, malicious)).toMatchObject({ subject: 'ada' })
  malicious.token = (claims) => signed(claims, before)
  expect(await failureOf(signInAt(provider, malicious))).toContain('no applicable keys')
})

test('a new key under the name of the old one is taken', async () => {
  start()
  await signInAt(provider, malicious)
  malicious.key = signingKey('first')
  expect(await signInAt(provider, malicious)).toMatchObject({ subject: 'ada' })
})

test('a code of one provider is worth nothing at another, which then has another client', async () => {
  const other = startMaliciousProvider(clock)
  const [second] = createProviders(testConfig(other.variables('idp')).sso, clock)
  malicious.answers.authorize = (honest) => {
    const response = honest()
    const location = response.headers.get('location') ?? ''
    return new Response(null, {
      status: 302,
      headers: {
        location: location.replace(encodeURIComponent(malicious.issuer), encodeURIComponent(other.issuer)),
      },
    })
  }
  if (second === undefined) throw new Error('There is no provider.')
  expect(await failureOf(signInAt(start(), malicious))).toContain('unexpected "iss"')
  expect(malicious.requests.map(({ endpoint }) => endpoint)).toEqual(['discovery', 'authorize'])
  await other.close()
})

test('the address and what vouches for it come from the same place', async () => {
  malicious.claims = without('email_verified')
  malicious.userinfo = { sub: 'ada', email: 'victim@example.org', email_verified: false }
  expect(await signInAt(start(), malicious)).toMatchObject({
    email: 'victim@example.org',
    emailVerified: false,
  })
  malicious.userinfo = { sub: 'ada', email_verified: true }
  expect(await signInAt(start(), malicious)).toMatchObject({ email: 'ada@example.org', emailVerified: false })
  malicious.claims = without('email')
  expect(await signInAt(start(), malicious)).toMatchObject({ email: null, emailVerified: false })
  malicious.userinfo = { sub: 'ada', email: 'ada@example.org', email_verified: true }
  expect(await signInAt(start(), malicious)).toMatchObject({ email: 'ada@example.org', emailVerified: true })
})

test('what the userinfo endpoint says of somebody else is refused', async () => {
  malicious.claims = without('email')
  malicious.userinfo = { sub: 'eve', email: 'ada@example.org', email_verified: true }
  expect(await failureOf(signInAt(start(), malicious))).toBe(
    'invalid-response: unexpected "response" body "sub" property value.',
  )
})

function without(name: string) {
  return (claims: Claims): Claims =>
    Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name))
}

function withOtherClaims(token: string): string {
  const [header, payload = '', signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
  return `${header}.${part({ ...claims, sub: 'somebody-else' })}.${signature}`
}
