import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { createApp } from '../../../src/backend/app.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

/** A backend under another host, or behind other proxies, on the same database. */
const under = (environment: Record<string, string>, peerAddress = '127.0.0.1') =>
  createApp({ ...ctx, config: testConfig(environment) }, () => peerAddress)
const ask = (
  app: { handle(request: Request): Promise<Response> },
  path: string,
  headers: Record<string, string> = {},
) =>
  app.handle(
    new Request(`http://unused.invalid${path}`, {
      headers: { authorization: `Bearer ${ada.token}`, ...headers },
    }),
  )

test('a body of unknown length is read as soon as it is expected, whatever its path and host', async () => {
  const { app } = service
  for (const [url, headers] of [
    ['http://localhost/v1/roles', {}],
    ['http://localhost/nothing', {}],
    ['http://evil.example/v1/roles', {}],
  ] as const) {
    const { promise: taken, resolve } = Promise.withResolvers<string>()
    const body = new ReadableStream(
      {
        pull: (controller) => {
          resolve('read')
          controller.enqueue(new Uint8Array(1000))
          controller.close()
        },
      },
      // Otherwise something is taken before anybody reads.
      { highWaterMark: 0 },
    )
    const forget = app.expectBody(new Request(url, { method: 'POST', headers, body }))
    expect([url, await Promise.race([taken, Bun.sleep(1000)])]).toEqual([url, 'read'])
    forget()
  }
})

test('strangers’ large bodies take no room from callers at the same address whose token was accepted before', async () => {
  const { app } = service
  const post = (token: string | null, more: RequestInit) =>
    new Request('http://localhost/v1/roles', {
      method: 'POST',
      ...more,
      headers: {
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...more.headers,
      },
    })
  const strangers = Array.from({ length: 70 }, () => {
    const request = post(null, { headers: { 'content-length': '1000000' }, body: '[' })
    app.expectBody(request)
    return request
  })
  const statusOf = async (token: string) =>
    (await app.handle(post(token, { body: new Blob(['{"name":""}']).stream() }))).status
  await service.as(ada.token).get('/v1/me')
  expect([await statusOf(ada.token), await statusOf((await member(ctx, 'admin')).token)]).toEqual([400, 503])
  for (const request of strangers) expect((await app.handle(request)).status).toBe(401)
})

test('a HEAD of a large file copies nothing of it', async () => {
  const { app } = service
  const whole = await app.handle(new Request('http://localhost/swagger/json'))
  const { size } = await whole.blob()
  const copied = spyOn(Response.prototype, 'arrayBuffer')
  const { headers } = await app.handle(new Request('http://localhost/swagger/json', { method: 'HEAD' }))
  expect([headers.get('content-length'), copied.mock.calls.length]).toEqual([String(size), 0])
  copied.mockRestore()
})

describe('aliases', () => {
  test.each(['/service/v1/roles/', '/service/public/v1/roles', '/public/v1/roles'])(
    '%s is /v1/roles',
    async (path) => {
      expect((await service.as(ada.token).get(path)).body).toEqual(
        (await service.as(ada.token).get('/v1/roles')).body,
      )
    },
  )

  test.each(['//v1/roles', '///v1/roles/', '//service/v1/roles', '//service/public/v1/roles?x=1'])(
    '%s is /v1/roles: slashes at the beginning are one',
    async (path) => {
      expect((await service.as(ada.token).get(path)).body).toEqual(
        (await service.as(ada.token).get('/v1/roles')).body,
      )
    },
  )

  test('slashes at the beginning change no check', async () => {
    const evil = { host: 'evil.example', authorization: '' }
    const app = under({})
    expect((await ask(app, '//v1/roles', evil)).status).toBe(400)
    expect((await service.anonymous.get('//v1/roles')).status).toBe(401)
    expect((await ask(app, '//service/health/', evil)).status).toBe(200)
    expect((await service.as(ada.token).send('PATCH', '//v1/roles')).status).toBe(405)
    const large = { body: 'x'.repeat(17 * 1024), headers: { 'content-type': 'application/json' } }
    for (const path of ['/service/auth/methods/', '/service/auth/password/login/'].map((path) => `/${path}`))
      expect((await service.anonymous.send('POST', path, large)).status, path).toBe(
        path.includes('login') ? 413 : 405,
      )
  })

  test.each([
    '//',
    '//evil.example/v1/roles',
    '/v1//roles',
    '/service//v1/roles',
    '/service/public/secret/tokens',
    '/service/secrets/secrets/tokens',
    '/public/service/secrets/tokens',
    '/secrets/tokens',
  ])('%s is nothing', async (path) => {
    expect((await service.as(ada.token).get(path)).status).toBe(404)
  })

  test.each([
    '/public/roles',
    '/service/public/roles',
    '/public/public/v1/roles',
    '/v1/v1/roles',
    '/v1//roles',
    '/V1/roles',
  ])('%s is nothing', async (path) => {
    const { status, body } = await service.as(ada.token).get(path)
    expect({ status, body }).toEqual({
      status: 404,
      body: { error: 'Not found: there is nothing at this path.' },
    })
  })
})

describe('what Keyward does not have', () => {
  const dynamic = 'Not found: Keyward has no dynamic secrets.'
  const identities =
    'Not found: Keyward knows no sign-in with the identity of a cloud. Use the token of a service account.'

  test.each([
    ['/v1/secrets/dynamic', dynamic],
    ['/v1/secrets/dynamic/versions', dynamic],
    ['/v1/secrets/dynamic/leases/4f9d5a52-6f0b-4a9e-8a3c-0d6f3b1c2e7a/?app_id=x', dynamic],
    ['/service/public/v1/secrets/dynamic/', dynamic],
    ['//service/public/v1/secrets/dynamic/leases/', dynamic],
    ['/service/public/identities/external/v1/aws/iam/auth/', identities],
    ['/service/public/identities', identities],
  ])('%s is 404 for everybody, with a sentence, whatever the method', async (path, error) => {
    for (const client of [service.anonymous, service.as(ada.token)])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
        expect(await client.send(method, path)).toMatchObject({ status: 404, body: { error } })
  })

  test('is told from what only begins alike', async () => {
    for (const path of ['/v1/secrets/dynamics', '/service/public/identitie', '/service/identities/'])
      expect((await service.as(ada.token).get(path)).body.error).not.toMatch(/Keyward/)
  })
})

describe('the Host', () => {
  const named = () =>
    under({ HOST: 'keyward.example.org', ALLOWED_HOSTS: 'keyward.example.org,.internal.example' })

  test.each([
    ['keyward.example.org', 200],
    ['KEYWARD.example.org.:8443', 200],
    ['a.internal.example', 200],
    ['internal.example', 400],
    ['localhost', 400],
    ['evil.example', 400],
    ['keyward.example.org.evil.example', 400],
    ['keyward.example.org:65536', 400],
  ])('%s is answered with %i', async (host, status) => {
    expect((await ask(named(), '/v1/roles', { host })).status).toBe(status)
  })

  test('is looked at before the path, the method and the credentials, but not by a monitor', async () => {
    const evil = { host: 'evil.example', authorization: '' }
    expect((await ask(named(), '/nothing', evil)).status).toBe(400)
    expect((await ask(named(), '/service/health/', evil)).status).toBe(200)
    expect((await ask(named(), '/service/ready/', evil)).status).toBe(200)
  })

  test('X-Forwarded-Host is never read', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'keyward.example.org' }
    expect(
      (await ask(under({ HOST: 'keyward.example.org', TRUSTED_PROXIES: 'private' }), '/v1/roles', headers))
        .status,
    ).toBe(400)
  })

  test.each(['localhost:9999', '127.0.0.1', '[::1]:8080', 'keyward.localhost'])(
    'of a deployment on loopback may be any loopback name, such as %s',
    async (host) => {
      expect((await ask(service.app, '/v1/roles', { host })).status).toBe(200)
    },
  )
})

describe('other origins', () => {
  const app = () =>
    under({
      HOST: 'keyward.example.org',
      ALLOWED_ORIGINS: 'https://keyward.example.org,https://console.example',
    })
  const from = (origin: string, method = 'GET') =>
    app().handle(
      new Request('http://keyward.example.org/v1/roles', {
        method,
        headers: { origin, authorization: `Bearer ${ada.token}` },
      }),
    )

  test('that are allowed may read the answer, never with credentials', async () => {
    const { headers } = await from('https://console.example')
    expect(headers.get('access-control-allow-origin')).toBe('https://console.example')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('vary')).toContain('Origin')
  })

  test('that are not allowed may not', async () => {
    for (const origin of ['https://evil.example', 'http://console.example', 'null']) {
      expect((await from(origin)).headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('ask beforehand with OPTIONS', async () => {
    const allowed = await from('https://console.example', 'OPTIONS')
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST')
    expect(allowed.headers.get('access-control-allow-headers')).toContain('Authorization')
    const refused = await from('https://evil.example', 'OPTIONS')
    expect(refused.headers.get('access-control-allow-methods')).toBeNull()
  })
})

describe('every answer', () => {
  test('has a request id and the headers that protect browsers, also an error', async () => {
    for (const path of ['/v1/roles', '/nothing', '/service/health', '/swagger']) {
      const { headers } = await service.anonymous.get(path)
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
      const policy = headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'")
      if (path === '/swagger') expect(policy).toContain("base-uri 'none'; form-action 'none'")
    }
  })

  test('HEAD is GET without the body', async () => {
    const head = await ask(service.app, '/v1/roles', { host: 'localhost' })
    expect(head.status).toBe(200)
    const response = await service.app.handle(
      new Request('http://localhost/v1/roles', {
        method: 'HEAD',
        headers: { authorization: `Bearer ${ada.token}` },
      }),
    )
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: '' })
  })

  const paths = ['/v1/roles', '/service/public/v1/roles/', '/service/auth/methods/', '/v1/roles/x', '/x']
  test.each(paths)('HEAD %s has the status and headers of GET, and its length', async (path) => {
    const send = (method: string, headers: Record<string, string> = {}) =>
      service.app.handle(
        new Request(`http://localhost${path}`, {
          method,
          headers: { authorization: `Bearer ${ada.token}`, ...headers },
        }),
      )
    const [get, head] = [await send('GET'), await send('HEAD')]
    const length = String((await get.arrayBuffer()).byteLength)
    const headers = { ...Object.fromEntries(get.headers), 'content-length': length }
    const id = expect.stringMatching(/./)
    expect([head.status, Object.fromEntries(head.headers)]).toEqual([
      get.status,
      { ...headers, 'x-request-id': id },
    ])
    const etag = get.headers.get('etag')
    if (etag !== null) expect((await send('HEAD', { 'if-none-match': etag })).status).toBe(304)
  })
})

describe('the address and id of a request', () => {
  const addressOf = async (proxies: string, peer: string, headers: Record<string, string>) => {
    const app = under({ HOST: 'localhost', ...(proxies && { TRUSTED_PROXIES: proxies }) }, peer)
    const body = JSON.stringify({ name: `From ${crypto.randomUUID()}` })
    const response = await app.handle(
      new Request('http://localhost/v1/apps', {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', ...headers },
      }),
    )
    const id = response.headers.get('x-request-id') ?? ''
    const [entry] = await ctx.db`select ip_address from audit_entries where request_id = ${id}`
    return { address: entry?.ip_address, id }
  }

  test.each([
    ['', '198.51.100.1', { 'x-forwarded-for': '203.0.113.7' }, '198.51.100.1'],
    ['198.51.100.0/24', '198.51.100.1', { 'x-forwarded-for': '203.0.113.7' }, '203.0.113.7'],
    ['198.51.100.0/24', '::ffff:198.51.100.1', { 'x-forwarded-for': '203.0.113.7:4711' }, '203.0.113.7'],
    [
      '198.51.100.0/24',
      '198.51.100.1',
      { 'x-forwarded-for': '1.1.1.1, 203.0.113.7, 198.51.100.9' },
      '203.0.113.7',
    ],
    ['private', '10.0.0.1', { 'x-forwarded-for': '203.0.113.7, 192.168.1.1' }, '203.0.113.7'],
    ['private', '10.0.0.1', { 'x-forwarded-for': '203.0.113.7, nonsense' }, '10.0.0.1'],
    ['private', '10.0.0.1', { 'x-forwarded-for': '203.0.113.7, 999.1.1.1' }, '10.0.0.1'],
    ['private', '10.0.0.1', {}, '10.0.0.1'],
    ['2001:db8::/32', '2001:db8::1', { 'x-forwarded-for': '[2001:db9::5]:443' }, '2001:db9::5'],
  ])('behind %p, from %p with %j, is %p', async (proxies, peer, headers, expected) => {
    expect((await addressOf(proxies, peer, headers as Record<string, string>)).address).toBe(expected)
  })

  test('an id is kept from a trusted proxy alone, and only in its form', async () => {
    expect((await addressOf('private', '10.0.0.1', { 'x-request-id': 'trace-1' })).id).toBe('trace-1')
    expect((await addressOf('private', '10.0.0.1', { 'x-request-id': 'a b' })).id).not.toBe('a b')
    expect((await addressOf('', '10.0.0.1', { 'x-request-id': 'trace-2' })).id).not.toBe('trace-2')
  })
})

describe('the rate limit of /v1', () => {
  test('counts for each caller and address, says so in headers, and ends in 429', async () => {
    const limited = api({ ...ctx, config: testConfig({ RATE_LIMIT_DEFAULT: '3/min' }) }, '203.0.113.99')
    for (const remaining of ['2', '1', '0']) {
      const { status, headers } = await limited.as(ada.token).get('/v1/roles')
      expect({ status, remaining: headers.get('ratelimit-remaining') }).toEqual({ status: 200, remaining })
    }
    const { status, body, headers } = await limited.as(ada.token).get('/v1/roles')
    expect({ status, body }).toEqual({ status: 429, body: { error: 'Too many requests.' } })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(headers.get('ratelimit-limit')).toBe('3')
    expect((await limited.anonymous.get('/service/health')).status).toBe(200)
  })

  test('takes an IPv6 /64 for one address, and IPv4 in IPv6 for IPv4', async () => {
    const config = testConfig({ RATE_LIMIT_DEFAULT: '2/min' })
    const from = async (address: string) =>
      (await api({ ...ctx, config }, address).anonymous.get('/v1/roles')).status
    const here = ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::9']
    expect([await from(here[0] ?? ''), await from(here[1] ?? ''), await from(here[2] ?? '')]).toEqual([
      401, 401, 429,
    ])
    expect(await from('2001:db8:1:3::1')).toBe(401)
    const mapped = ['203.0.113.50', '::ffff:203.0.113.50', '::ffff:cb00:7132']
    expect([await from(mapped[0] ?? ''), await from(mapped[1] ?? ''), await from(mapped[2] ?? '')]).toEqual([
      401, 401, 429,
    ])
  })
})
