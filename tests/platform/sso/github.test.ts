import { afterEach, beforeAll, expect, test } from 'bun:test'
import { fakeClock } from '../../../src/platform/clock.ts'
import type { SsoProvider } from '../../../src/platform/sso/provider.ts'
import { createProviders } from '../../../src/platform/sso/providers.ts'
import { testConfig } from '../../support/context.ts'
import { failureOf, newChecks, redirectUri } from '../../support/sso-steps.ts'

const clock = fakeClock()
const TOKEN = 'gho_of-a-test'
type Answers = Record<string, () => Response | Promise<Response>>

const honest: Answers = {
  'POST github.com/login/oauth/access_token': () =>
    Response.json({ access_token: TOKEN, token_type: 'bearer', scope: 'read:user,user:email' }),
  'GET api.github.com/user': () =>
    Response.json({ id: 1815, login: 'ada', name: 'Ada Lovelace', email: 'public@example.org' }),
  'GET api.github.com/user/emails': () =>
    Response.json([
      { email: 'old@example.org', primary: false, verified: true },
      { email: 'ada@example.org', primary: true, verified: true },
    ]),
}
let answers: Answers = honest
const sent: { place: string; init: RequestInit }[] = []

const send = async (url: string, init: RequestInit): Promise<Response> => {
  const { host, pathname } = new URL(url)
  const place = `${init.method ?? 'GET'} ${host}${pathname}`
  sent.push({ place, init })
  return answers[place]?.() ?? new Response('not found', { status: 404 })
}

let provider: SsoProvider
const start = (variables: Record<string, string> = {}, stepMilliseconds = 10_000) => {
  const { sso } = testConfig({
    SSO_PROVIDERS: 'github',
    GITHUB_CLIENT_ID: 'Iv1.abc',
    GITHUB_CLIENT_SECRET: 'secret-of-keyward',
    ...variables,
  })
  const [first] = createProviders(sso, clock, { fetch: send, stepMilliseconds })
  if (first === undefined) throw new Error('There is no provider.')
  return first
}

beforeAll(() => {
  provider = start()
})
afterEach(() => {
  answers = honest
  sent.length = 0
})

async function signIn(change: (callback: URL) => void = () => {}, by = provider) {
  const checks = newChecks()
  await by.authorizationUrl(checks)
  const callback = new URL(redirectUri)
  callback.search = new URLSearchParams({ code: 'code-of-a-test', state: checks.state }).toString()
  change(callback)
  return by.profileOf(callback, checks)
}

test('the browser is sent to GitHub with state and an S256 challenge, and nothing is asked before', async () => {
  const checks = newChecks()
  const url = await provider.authorizationUrl(checks)
  const { code_challenge, ...parameters } = Object.fromEntries(url.searchParams)
  expect(url.origin + url.pathname).toBe('https://github.com/login/oauth/authorize')
  expect(parameters).toEqual({
    client_id: 'Iv1.abc',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'read:user user:email',
    state: checks.state,
    code_challenge_method: 'S256',
  })
  expect(code_challenge).toBe(new Bun.CryptoHasher('sha256').update(checks.codeVerifier).digest('base64url'))
  expect(sent).toEqual([])
})

test('the subject is the number of the account, the address the primary one', async () => {
  expect(await signIn()).toEqual({
    issuer: 'https://github.com',
    subject: '1815',
    email: 'ada@example.org',
    emailVerified: true,
    fullName: 'Ada Lovelace',
  })
  const body = new URLSearchParams(String(sent[0]?.init.body))
  expect(body.get('client_secret')).toBe('secret-of-keyward')
  expect(body.get('redirect_uri')).toBe(redirectUri)
  expect(body.get('code_verifier')).toHaveLength(43)
})

test.each<[string, unknown, object]>([
  [
    'not verified',
    [{ email: 'ada@example.org', primary: true, verified: false }],
    { email: 'ada@example.org' },
  ],
  [
    'verified, but not primary',
    [{ email: 'ada@example.org', primary: false, verified: true }],
    { email: null },
  ],
  ['verified by a word', [{ email: 'ada@example.org', primary: 'true', verified: true }], { email: null }],
  ['absent', [], { email: null }],
  ['no list', { email: 'ada@example.org' }, { email: null }],
  ['a list of nothing', [null, 1], { email: null }],
])('an address that is %s does not count', async (_, emails, expected) => {
  answers = { ...honest, 'GET api.github.com/user/emails': () => Response.json(emails) }
  expect(await signIn()).toMatchObject({ subject: '1815', emailVerified: false, ...expected })
})

test.each([
  ['bad_verification_code', 'the code was used before or is too old'],
  ['incorrect_client_credentials', 'check the client id and the client secret'],
  ['redirect_uri_mismatch', 'register the redirect address'],
])('an error with status 200 is an error: %s', async (error, advice) => {
  const body = { error, error_description: 'of ada@example.org', error_uri: 'https://docs.github.com' }
  answers = { 'POST github.com/login/oauth/access_token': () => Response.json(body) }
  expect(await failureOf(signIn())).toBe(
    `refused-by-provider: The token endpoint answered with the error ${error}: ${advice}. The redirect address is ${redirectUri}.`,
  )
})

test.each([undefined, null, 'ada', 0, -1, 1.5, '1815', 2 ** 60])(
  'an account with the id %p is refused',
  async (id) => {
    answers = { ...honest, 'GET api.github.com/user': () => Response.json({ id }) }
    expect(await failureOf(signIn())).toStartWith('invalid-response: ')
  },
)

test('a missing scope is told to the operator', async () => {
  answers = { ...honest, 'GET api.github.com/user/emails': () => Response.json({}, { status: 404 }) }
  expect(await failureOf(signIn())).toStartWith(
    "refused-by-provider: GitHub's /user/emails answered with status 404: the scope user:email is missing",
  )
})

test.each([
  ['another state', (url: URL) => url.searchParams.set('state', 'other')],
  [
    'the issuer of another provider',
    (url: URL) => url.searchParams.set('iss', 'https://accounts.google.com'),
  ],
  ['no code', (url: URL) => url.searchParams.delete('code')],
])('a callback with %s is refused before its code is used', async (_, change) => {
  expect(await failureOf(signIn(change))).toStartWith('invalid-response: ')
  expect(sent).toEqual([])
})

test('its own issuer in the callback is taken', async () => {
  const profile = await signIn((url) => url.searchParams.set('iss', 'https://github.com/login/oauth'))
  expect(profile.subject).toBe('1815')
})

test('it is unavailable for a minute after it could not be reached, and available after a sign-in', async () => {
  const own = start()
  const down = {
    'POST github.com/login/oauth/access_token': () =>
      Promise.reject(Object.assign(new Error('of ada@example.org'), { code: 'ECONNREFUSED' })),
  }
  answers = down
  expect(own.isAvailable()).toBe(true)
  expect(await failureOf(signIn(() => {}, own))).toBe(
    "provider-unavailable: https://github.com/login/oauth/access_token can't be reached: ECONNREFUSED.",
  )
  expect(own.isAvailable()).toBe(false)
  clock.advance(61)
  expect(own.isAvailable()).toBe(true)
  await failureOf(signIn(() => {}, own))
  expect(own.isAvailable()).toBe(false)
  answers = honest
  await signIn(() => {}, own)
  expect(own.isAvailable()).toBe(true)
})

test.each([
  ['a code that is refused', {}, Response.json({ error: 'bad_verification_code' })],
  ['a code that GitHub trips over', {}, new Response('', { status: 500 })],
  ['too many codes', {}, new Response('', { status: 429 })],
  ['an error in the callback', { error: 'server_error' }, null],
  ['an error in the callback', { error: 'temporarily_unavailable' }, null],
])('no one can make it unavailable for others: %s (%o)', async (_, parameters, answer) => {
  const own = start()
  if (answer !== null) answers = { 'POST github.com/login/oauth/access_token': () => answer }
  await failureOf(
    signIn((url) => {
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    }, own),
  )
  expect(own.isAvailable()).toBe(true)
})

test('a GitHub Enterprise Server is asked under its own address', async () => {
  answers = Object.fromEntries(
    Object.entries(honest).map(([place, answer]) => [
      place.replace('api.github.com', 'git.example.org/api/v3').replace(' github.com', ' git.example.org'),
      answer,
    ]),
  )
  const server = start({ GITHUB_ISSUER: 'https://git.example.org/' })
  expect(await signIn(() => {}, server)).toMatchObject({ issuer: 'https://git.example.org', subject: '1815' })
})

test.each([
  ['silence', () => new Promise<Response>(() => {}), 'did not answer in time.'],
  [
    'a redirect',
    () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/' } }),
    'redirect',
  ],
  ['a flood', () => new Response(new Uint8Array(2 * 1024 * 1024)), 'more than 1048576 bytes.'],
])('%s of the API ends the sign-in', async (_, answer, sentence) => {
  answers = { ...honest, 'GET api.github.com/user': answer }
  const failure = await failureOf(signIn(() => {}, start({}, 1000)))
  expect(failure).toStartWith('provider-unavailable: https://api.github.com/user ')
  expect(failure).toContain(sentence)
  expect(failure).not.toContain(TOKEN)
})
