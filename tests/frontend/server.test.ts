import { expect, test } from 'bun:test'
import { createFrontend } from '../../src/frontend/server.ts'
import { testConfig } from '../support/context.ts'
import { recordedLog } from '../support/log-recorder.ts'

const ask = (environment: Record<string, string>, path: string, init: RequestInit = {}) =>
  createFrontend(testConfig(environment))(new Request(`http://localhost${path}`, init))

test.each(['/', '/keyward.css', '/api/health', '/nothing'])(
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
