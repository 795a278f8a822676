import { afterAll, beforeAll, expect, test } from 'bun:test'
import { workerHealth } from '../../src/worker/health.ts'
import { type TestContext, testContext } from '../support/context.ts'

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx.close())

async function ask(path: string, init: RequestInit = {}, schemaVersion = ctx.schemaVersion) {
  const response = await workerHealth({ ...ctx, schemaVersion })(new Request(`http://localhost${path}`, init))
  return { status: response.status, body: await response.json(), headers: response.headers }
}

const stranger = { headers: { host: 'monitor.invalid' } }

test('a worker is alive, and ready once the schema is there, for any Host', async () => {
  for (const slash of ['', '/']) {
    const health = await ask(`/service/health${slash}`, stranger)
    expect([health.status, health.body]).toEqual([200, { status: 'alive', version: ctx.config.version }])
    const ready = await ask(`/service/ready${slash}`, stranger)
    expect([ready.status, ready.body]).toEqual([200, { status: 'ready', schema: ctx.schemaVersion }])
  }
})

test('on an older schema a worker is alive, but not ready', async () => {
  const required = ctx.schemaVersion + 1
  const { status, body, headers } = await ask('/service/ready/', {}, required)
  expect(status).toBe(503)
  expect(headers.get('retry-after')).toBe('1')
  expect(body).toEqual({
    error: `The database schema is at version ${ctx.schemaVersion} and must be at ${required}: run "keyward migrate".`,
  })
  expect((await ask('/service/health/', {}, required)).status).toBe(200)
})

test('anything else is 404 under a Host that is served, and 400 under another', async () => {
  for (const path of ['/', '/v1/roles/', '/service/health/x', '/api/health']) {
    expect((await ask(path, { headers: { host: ctx.config.host } })).status).toBe(404)
    expect((await ask(path, stranger)).status).toBe(400)
  }
})

test('methods other than GET and HEAD are 405', async () => {
  const { status, headers } = await ask('/service/health/', { method: 'POST' })
  expect(status).toBe(405)
  expect(headers.get('allow')).toBe('GET, HEAD')
})

test('every answer has a request id and the headers that protect browsers', async () => {
  for (const path of ['/service/health/', '/service/ready', '/nothing']) {
    const { headers } = await ask(path)
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
  }
})
