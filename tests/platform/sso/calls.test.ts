import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type AddressInfo, createServer } from 'node:net'
import { fakeClock } from '../../../src/platform/clock.ts'
import { STEP_MILLISECONDS } from '../../../src/platform/sso/bounded-fetch.ts'
import type { SsoProvider } from '../../../src/platform/sso/provider.ts'
import { createProviders } from '../../../src/platform/sso/providers.ts'
import { testConfig } from '../../support/context.ts'
import {
  type Answer,
  bomb,
  type Endpoint,
  flood,
  type MaliciousProvider,
  redirectTo,
  silence,
  startMaliciousProvider,
  statusOnly,
  trickle,
} from '../../support/malicious-provider.ts'
import { failureOf, newChecks, signInAt } from '../../support/sso-steps.ts'

const clock = fakeClock()
let malicious: MaliciousProvider
let inside: ReturnType<typeof Bun.serve>
let callsInside = 0

beforeAll(() => {
  malicious = startMaliciousProvider(clock)
  inside = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => {
      callsInside++
      return Response.json({})
    },
  })
})
afterEach(() => {
  malicious.reset()
  callsInside = 0
})
afterAll(async () => {
  await malicious.close()
  await inside.stop(true)
})

/** For what is waited for to the end; everything else has the usual time. */
const SHORT = 1000

function start(stepMilliseconds = STEP_MILLISECONDS): SsoProvider {
  const { sso } = testConfig(malicious.variables('idp'))
  const [provider] = createProviders(sso, clock, { stepMilliseconds })
  if (provider === undefined) throw new Error('There is no provider.')
  return provider
}

/** The failure of a sign-in at which this endpoint does not answer as it should, and how long the step took. */
async function failureAt(
  endpoint: Endpoint,
  answer: Answer,
  stepMilliseconds?: number,
): Promise<{ failure: string; elapsed: number }> {
  malicious.answers[endpoint] = answer
  if (endpoint === 'userinfo') malicious.claims = ({ email: _, ...claims }) => claims
  const provider = start(stepMilliseconds)
  const checks = newChecks()
  const began = performance.now()
  if (endpoint === 'discovery') {
    const failure = await failureOf(provider.authorizationUrl(checks))
    return { failure, elapsed: performance.now() - began }
  }
  const callback = await malicious.visit(await provider.authorizationUrl(checks))
  const failure = await failureOf(provider.profileOf(callback, checks))
  return { failure, elapsed: performance.now() - began }
}

const paths = {
  discovery: '/.well-known/openid-configuration',
  token: '/token',
  keys: '/keys',
  userinfo: '/userinfo',
} as const

describe.each(Object.entries(paths))('at the %s endpoint', (endpoint, path) => {
  const unavailable = (sentence: string) => `provider-unavailable: ${malicious.issuer}${path} ${sentence}`
  const at = (answer: Answer, stepMilliseconds?: number) =>
    failureAt(endpoint as Endpoint, answer, stepMilliseconds)

  test.each([
    ['silence', silence],
    ['a trickle', trickle],
  ])('%s ends with the step', async (_, answer) => {
    const { failure, elapsed } = await at(answer, SHORT)
    expect(failure).toBe(unavailable('did not answer in time.'))
    expect(elapsed).toBeLessThan(SHORT + 4000)
  })

  test.each([
    ['a flood', flood],
    ['a compressed flood', bomb],
  ])('%s is not read further than 1 MiB', async (_, answer) => {
    const { failure } = await at(answer)
    expect(failure).toBe(unavailable('answered with more than 1048576 bytes.'))
  })

  test.each([301, 302, 303, 307, 308])(
    'a redirect with status %d to this machine is not followed',
    async (status) => {
      const { failure } = await at(redirectTo(`http://127.0.0.1:${inside.port}/`, status))
      expect(failure).toBe(unavailable('answered with a redirect, and none is followed.'))
      expect(callsInside).toBe(0)
    },
  )

  test.each([500, 503, 429])('status %d', async (status) => {
    const { failure } = await at(statusOnly(status))
    expect(failure).toBe(unavailable(`answered with status ${status}.`))
  })

  test.each([200, 204, 404])('status %d without JSON', async (status) => {
    const { failure } = await at(statusOnly(status))
    expect(failure).toStartWith(endpoint === 'discovery' ? 'provider-unavailable: ' : 'invalid-response: ')
    expect(failure).not.toContain('html')
  })

  test.each(['null', '[]', '"text"', '{', '{"keys": [1]}', '{"issuer": {}}'])('the JSON %s', async (text) => {
    const { failure } = await at(
      () => new Response(text, { headers: { 'content-type': 'application/json' } }),
    )
    expect(failure).toMatch(/^(provider-unavailable|invalid-response): .+\.$/)
  })
})

test('all calls of a step share its time', async () => {
  const slowly: Answer = async (honest) => {
    await Bun.sleep(0.6 * SHORT)
    return honest()
  }
  malicious.answers = { token: slowly, keys: slowly }
  const provider = start(SHORT)
  const checks = newChecks()
  const callback = await malicious.visit(await provider.authorizationUrl(checks))
  expect(await failureOf(provider.profileOf(callback, checks))).toMatch(
    /\/(token|keys) did not answer in time\.$/,
  )
})

test('sign-ins at a provider that does not answer keep nobody from another provider', async () => {
  const checks = newChecks()
  const silent = start(3 * SHORT)
  const callback = await malicious.visit(await silent.authorizationUrl(checks))
  malicious.answers = { token: silence }
  let ended = 0
  const waiting = Array.from({ length: 300 }, async (_, site) => {
    await failureOf(silent.profileOf(callback, checks, `192.0.2.${site}`))
    ended++
  })
  const other = startMaliciousProvider(clock)
  const [provider] = createProviders(testConfig(other.variables('idp')).sso, clock)
  expect((await signInAt(provider as SsoProvider, other)).subject).toBe('ada')
  expect(ended).toBe(0)
  await Promise.all(waiting)
  await other.close()
}, 60_000)

test('of sign-ins from one site, 16 at a time reach the provider, and another site need not wait for the rest', async () => {
  const checks = newChecks()
  const provider = start(3 * SHORT)
  const callback = await malicious.visit(await provider.authorizationUrl(checks))
  let calls = 0
  malicious.answers = {
    token: (honest) => {
      calls++
      return calls <= 16 ? silence(honest) : honest()
    },
  }
  const many = Promise.allSettled(
    Array.from({ length: 40 }, () => provider.profileOf(callback, checks, 'many')),
  )
  while (calls < 16) await Bun.sleep(5)
  await Bun.sleep(50)
  expect(calls).toBe(16)
  expect((await provider.profileOf(callback, checks, 'one')).subject).toBe('ada')
  const failed = (await many).filter(({ status }) => status === 'rejected')
  expect(failed).toHaveLength(16)
}, 60_000)

test('a step has 10 seconds', () => {
  expect(STEP_MILLISECONDS).toBe(10_000)
})

test('a provider that is not there', async () => {
  const gone = startMaliciousProvider(clock)
  const { sso } = testConfig(gone.variables('idp'))
  await gone.close()
  const [provider] = createProviders(sso, clock)
  if (provider === undefined) throw new Error('There is no provider.')
  expect(await failureOf(provider.authorizationUrl(newChecks()))).toBe(
    `provider-unavailable: ${gone.issuer}/.well-known/openid-configuration can't be reached: ECONNREFUSED.`,
  )
})

test.each([
  ['before the response', ''],
  ['in the middle of it', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{'],
])('a connection that is cut %s fails, and the request is not sent again', async (_, beginning) => {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.once('data', () => socket.end(beginning, () => socket.destroy()))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  malicious.metadata = { token_endpoint: `http://localhost:${port}/token` }
  const failure = await failureOf(signInAt(start(), malicious))
  expect(failure).toStartWith(`provider-unavailable: http://localhost:${port}/token can't be reached: `)
  expect(connections).toBe(1)
  server.close()
})

test('neither the address nor the code nor the secret is told when a call fails', async () => {
  malicious.answers.token = () =>
    Response.json(
      {
        error: 'invalid_grant',
        error_description: 'AADSTS50011: code of ada@example.org, secret-of-keyward',
      },
      { status: 400 },
    )
  const failure = await failureOf(signInAt(start(), malicious))
  expect(failure).toStartWith(
    'refused-by-provider: The token endpoint answered with the error invalid_grant (AADSTS50011): ',
  )
  expect(failure).not.toMatch(/@|secret-of-keyward|code=/)
  malicious.answers.token = () => Response.json({ error: 'ada@example.org' }, { status: 400 })
  expect(await failureOf(signInAt(start(), malicious))).toContain('the error that is not shown')
})
