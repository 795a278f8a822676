import { afterAll, beforeAll, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner, type Person } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

const login = (body: string | Uint8Array<ArrayBuffer>) =>
  service.anonymous.send('POST', '/service/auth/password/login', {
    body,
    headers: { 'content-type': 'application/json' },
  })

const post = (body: string | Uint8Array<ArrayBuffer>) =>
  service.as(ada.token).send('POST', '/v1/apps', { body, headers: { 'content-type': 'application/json' } })

// Normalising it would take minutes, which no time-out of this test would survive.
test('a text of combining marks is refused before it is normalised', async () => {
  const marks = '\u0345\u0301'.repeat(240_000)
  expect((await post(JSON.stringify({ name: 'x', description: marks }))).status).toBe(400)
  const password = marks.slice(0, 6000)
  expect((await login(JSON.stringify({ email: 'a@example.org', password }))).status).toBe(400)
  for (const length of [31, 4000]) {
    const name = `a${'\u0301'.repeat(length)}`
    const { status } = await service.as(ada.token).post('/v1/apps', { name })
    expect(status).toBe(400)
  }
  expect((await service.as(ada.token).post('/v1/apps', { name: 'Cafe\u0301' })).body.name).toBe('Café')
})

test('a body nested deeper than 32 levels is refused, whatever stands in its strings', async () => {
  const nested = (depth: number) => `${'{"name":'.repeat(depth)}1${'}'.repeat(depth)}`
  expect((await post(nested(100_000))).body.error).toMatch(/nested/)
  expect((await post(nested(33))).body.error).toMatch(/nested/)
  expect((await post(nested(32))).body.error).not.toMatch(/nested/)
  const { status } = await service.as(ada.token).post('/v1/apps', { name: `["{${'['.repeat(50)}\\"` })
  expect(status).toBe(201)
})

const streamed = (path: string, stream: ReadableStream) =>
  service.app.handle(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      body: stream,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` },
    }),
  )

test.each([
  ['/v1/apps', 1024 * 1024, 'The body must not be larger than 1 MiB.'],
  ['/service/auth/password/login', 16 * 1024, 'The body must not be larger than 16 KiB.'],
  ['/service/auth/email/resend/', 16 * 1024, 'The body must not be larger than 16 KiB.'],
])('a body to %s of more than %i bytes is 413, also when it does not say so', async (path, limit, error) => {
  const spaces = (length: number) => new Uint8Array(length).fill(32)
  const headers = { 'content-type': 'application/json' }
  const send = (length: number) => service.as(ada.token).send('POST', path, { body: spaces(length), headers })
  expect((await send(limit)).status).toBe(400)
  expect(await send(limit + 1)).toMatchObject({ status: 413, body: { error } })
  let left = 40
  const stream = new ReadableStream({
    pull: (controller) => (left-- > 0 ? controller.enqueue(spaces(65_536)) : controller.close()),
  })
  const response = await streamed(path, stream)
  expect([response.status, await response.json()]).toEqual([413, { error }])
  expect(left).toBeGreaterThan(10)
})

test('a body that breaks off is 400, and no error of ours', async () => {
  const stream = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
  expect((await streamed('/v1/apps', stream)).status).toBe(400)
})

test.each([
  ['gzip', 415],
  ['identity', 201],
])('a body whose content coding is %s is answered with %i', async (coding, status) => {
  const headers = { 'content-type': 'application/json', 'content-encoding': coding }
  const body = JSON.stringify({ name: 'Coded' })
  expect((await service.as(ada.token).send('POST', '/v1/apps', { body, headers })).status).toBe(status)
})

test('a host of one letter is served like any other', async () => {
  const response = await service.app.handle(
    new Request('http://x/service/health', { headers: { host: 'x' } }),
  )
  expect(response.status).toBe(200)
})

test.each(['%', '%ff', '%zz', '%00'])('an id that is %s is simply not found', async (id) => {
  expect((await service.as(ada.token).get(`/v1/roles/${id}`)).status).toBe(404)
})
