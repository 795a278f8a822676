import { expect, test } from 'bun:test'
import { builtFiles } from '../../src/frontend/files.ts'
import { besideBackend, createFrontend } from '../../src/frontend/server.ts'
import { createLog } from '../../src/platform/log.ts'
import { testConfig } from '../support/context.ts'
import { recordedLog } from '../support/log-recorder.ts'

const ask = (environment: Record<string, string>, path: string, init: RequestInit = {}) =>
  createFrontend(
    testConfig(environment),
    createLog('error'),
    builtFiles(),
  )(new Request(`http://localhost${path}`, init))

/** The script that the page names. */
async function scriptPath(): Promise<string> {
  const page = await (await ask({}, '/')).text()
  return /src="(\/assets\/index-[a-z0-9]+\.js)"/.exec(page)?.[1] ?? ''
}

test.each(['/', '/invite', '/config.json', '/api/health', '/nothing'])(
  '%s has a request id and the headers that protect browsers',
  async (path) => {
    const { headers } = await ask({}, path)
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toMatch(/^no-(cache|store)$/)
  },
)

test('beside a backend, bodies are expected for its paths alone', () => {
  const forget = () => {}
  const backend = { fetch: () => new Response('backend'), expectBody: () => forget }
  const { expectBody } = besideBackend(backend, () => new Response('frontend'))
  const expected = ['/v1/roles', '//v1/roles', '/service/auth/methods', '/apps', '/v1x'].map((path) =>
    expectBody?.(new Request(`http://localhost${path}`)),
  )
  expect(expected).toEqual([forget, forget, forget, null, null])
})

test('no response copies a file: clients may leave thousands of them unread', async () => {
  const find = builtFiles()
  for (const path of ['/index.html', await scriptPath()]) {
    const { content, brotli } = (await find(path)) ?? {}
    expect(content).toBeInstanceOf(Blob)
    if (brotli !== null) expect(brotli).toBeInstanceOf(Blob)
  }
})

test('every page of the console is the same document, which browsers ask for anew each time', async () => {
  const home = await (await ask({}, '/')).text()
  const paths = [
    '/sign-in',
    '/setup',
    '/invite',
    '/verify-email/',
    '/members',
    '/members/x/access',
    '/apps/x/secrets/y',
    '/settings/tokens',
    '/webauth/cG9y/dA==',
  ]
  for (const path of paths) {
    const response = await ask({}, path)
    expect([
      path,
      response.status,
      response.headers.get('content-type'),
      response.headers.get('cache-control'),
    ]).toEqual([path, 200, 'text/html; charset=utf-8', 'no-cache'])
    expect(await response.text()).toBe(home)
    expect((await ask({}, path, { method: 'POST' })).status).toBe(405)
  }
  expect(home).not.toMatch(/\son\w+=|style=|<script>(?!<)|<style/)
  for (const path of [
    '/memberships',
    '/members.html',
    '/assets/../server.ts',
    '/assets/index.js',
    '/dist/index.html',
  ]) {
    expect([path, (await ask({}, path)).status]).toEqual([path, 404])
  }
})

test('browsers that open an unknown path get the page that says so, everything else gets JSON', async () => {
  const home = await (await ask({}, '/')).text()
  const inBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  for (const path of ['/nonsense', '/members.html', '/nonsense/below', '/assets/gone.js']) {
    const response = await ask({}, path, { headers: inBrowser })
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      404,
      'text/html; charset=utf-8',
    ])
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('vary')).toContain('accept')
    expect(await response.text()).toBe(home)
  }
  for (const accept of ['*/*', 'application/json', 'text/html;q=0, */*', 'text/htmlx', '']) {
    const response = await ask({}, '/nonsense', { headers: { accept } })
    expect([accept, response.status, response.headers.get('content-type')]).toEqual([
      accept,
      404,
      'application/json;charset=utf-8',
    ])
  }
  const posted = await ask({}, '/nonsense', { method: 'POST', headers: inBrowser })
  expect([posted.status, await posted.json()]).toEqual([
    404,
    { error: 'Not found: there is nothing at this path.' },
  ])
})

test('a script has its hash in its name, is kept for ever, and goes out compressed to whoever takes brotli', async () => {
  const path = await scriptPath()
  const plain = await ask({}, path)
  expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(plain.headers.get('vary')).toBe('accept-encoding')
  const compressed = await ask({}, path, { headers: { 'accept-encoding': 'gzip, br' } })
  expect(compressed.headers.get('content-encoding')).toBe('br')
  const [large, small] = [(await plain.bytes()).length, (await compressed.bytes()).length]
  expect(small).toBeLessThan(large / 2)
})

test('scripts and styles come from this origin alone, and requests go there alone', async () => {
  const policyOf = async (path: string) => (await ask({}, path)).headers.get('content-security-policy') ?? ''
  for (const path of ['/', '/members', '/swaggerish', '/webauth']) {
    const policy = await policyOf(path)
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).toContain("connect-src 'self';")
    expect(policy).not.toMatch(/unsafe|http/)
  }
  // The page that hands a token to the command line reaches its port on the reader's machine.
  expect(await policyOf('/webauth/cG9ydA==')).toContain("connect-src 'self' http://127.0.0.1:*;")
})

test('/config.json tells the console the version, and nothing secret', async () => {
  expect((await ask({}, '/config.json/')).status).toBe(200)
  const response = await ask({}, '/config.json')
  expect(await response.json()).toEqual({ version: expect.stringMatching(/^v\d+\.\d+\.\d+$/) })
  expect(response.headers.get('cache-control')).toBe('no-store')
})

test('where the console has not been built, pages say how to build it, and health still answers', async () => {
  const frontend = createFrontend(testConfig(), createLog('error'), async () => null)
  const response = await frontend(new Request('http://localhost/members'))
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: 'The console has not been built. Run `bun start`, or `bun src/frontend/build.ts`.' },
  ])
  expect((await frontend(new Request('http://localhost/api/health'))).status).toBe(200)
})

test('under an https origin every answer keeps browsers on https, under http none does', async () => {
  for (const path of ['/', '/api/health', '/nothing']) {
    for (const method of ['GET', 'POST']) {
      const secure = await ask({ HOST: 'keyward.example.org' }, path, {
        method,
        headers: { host: 'keyward.example.org' },
      })
      expect(secure.headers.get('strict-transport-security')).toBe('max-age=31536000')
      expect((await ask({}, path, { method })).headers.get('strict-transport-security')).toBeNull()
    }
  }
  const stranger = await ask({ HOST: 'keyward.example.org' }, '/', { headers: { host: 'evil.example' } })
  expect(stranger.status).toBe(400)
  expect(stranger.headers.get('strict-transport-security')).toBe('max-age=31536000')
})

test('an unexpected error is a 500 with all headers, and is logged without its message', async () => {
  const { log, lines } = recordedLog()
  const config = testConfig()
  const broken = {
    ...config,
    get loopback(): never {
      throw new Error('secret words')
    },
  }
  const response = await createFrontend(broken, log, builtFiles())(new Request('http://localhost/'))
  expect([response.status, await response.json()]).toEqual([
    500,
    { error: "Internal error. The log has the details under the request's id." },
  ])
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, requestId: response.headers.get('x-request-id') }),
  ])
  expect(lines.join()).not.toContain('secret words')
})

test('the older redirect address of single sign-on leads to the backend, and nowhere else', async () => {
  for (const path of ['/api/auth/callback/google', '/api/auth/callback/google/']) {
    const { status, headers } = await ask({}, `${path}?code=a%2Fb&state=c&iss=https%3A%2F%2Fx`)
    expect(status).toBe(302)
    expect(headers.get('location')).toBe(
      '/service/auth/sso/google/callback/?code=a%2Fb&state=c&iss=https%3A%2F%2Fx',
    )
    expect(headers.get('cache-control')).toBe('no-store')
  }
  for (const path of ['', '/', '/a/b', '/%2Fevil.example', '/..%2Fx', '/A', '//evil.example']) {
    const { status, headers } = await ask({}, `/api/auth/callback${path}`)
    expect([path, status, headers.get('location')]).toEqual([path, 404, null])
  }
  expect((await ask({}, '/api/auth/callback/google', { method: 'POST' })).status).toBe(405)
})
