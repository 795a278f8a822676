import { expect, test } from 'bun:test'
import type { TObject } from '@sinclair/typebox'
import { createApp } from '../../src/backend/app.ts'
import type { Context } from '../../src/context.ts'
import type { LinkPurpose } from '../../src/core/links/link.ts'
import { createFrontend } from '../../src/frontend/server.ts'
import { testConfig } from '../support/context.ts'
import { recordedLog } from '../support/log-recorder.ts'

const ask = (environment: Record<string, string>, path: string, init: RequestInit = {}) =>
  createFrontend(testConfig(environment))(new Request(`http://localhost${path}`, init))

test.each(['/', '/invite', '/keyward.css', '/api/health', '/nothing'])(
  '%s has a request id and the headers that protect browsers',
  async (path) => {
    const { headers } = await ask({}, path)
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toMatch(/^no-(cache|store)$/)
  },
)

/** For each link that is mailed: what it is for, the routes that take its token, and under which name. */
const LINKS: Record<LinkPurpose, { words: string; routes: Record<string, string> }> = {
  invite: {
    words: 'invites you to join an organisation',
    routes: { '/service/auth/password/register': 'invite', '/service/auth/invites/accept': 'token' },
  },
  'verify-email': {
    words: 'verifies your e-mail address',
    routes: { '/service/auth/email/verify': 'token' },
  },
  'reset-password': {
    words: 'sets a new password',
    routes: { '/service/auth/password/reset': 'token' },
  },
}

test.each(Object.entries(LINKS))(
  'a link to %s leads to a page that says where its token goes',
  async (purpose, { words, routes }) => {
    const ctx = { config: testConfig() } as unknown as Context
    const known = createApp(ctx).routes
    for (const path of [`/${purpose}`, `/${purpose}/`]) {
      const response = await ask({}, path)
      const page = await response.text()
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      expect(page).toContain(words)
      expect(page).not.toContain('setup_token')
      expect(page).not.toMatch(/<script|<form|<!--|\son\w+=|style=/)
      for (const [route, field] of Object.entries(routes)) {
        expect(page).toContain(`<code>POST ${route}/</code>`)
        expect(page).toContain(`<code>${field}</code>`)
        const body = known.find(({ method, path }) => method === 'POST' && path === route)?.hooks.body
        expect(Object.keys((body as TObject).properties)).toContain(field)
      }
      expect((await ask({}, path, { method: 'POST' })).status).toBe(405)
    }
  },
)

test('the page at / says where the token of a set-up link goes, and nothing of other links', async () => {
  const page = await (await ask({}, '/')).text()
  expect(page).toContain('<code>setup_token=</code>')
  expect(page).not.toContain('<!--')
  for (const { words } of Object.values(LINKS)) expect(page).not.toContain(words)
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
  const response = await createFrontend(broken, log)(new Request('http://localhost/'))
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
