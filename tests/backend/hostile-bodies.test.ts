import { afterAll, beforeAll, expect, test } from 'bun:test'
import { api } from '../support/api.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { owner, type Person } from '../support/people.ts'

let ctx: TestContext
let ada: Person
let service: ReturnType<typeof api>

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

const login = (body: string | Uint8Array) =>
  service.anonymous.send('POST', '/service/auth/password/login', {
    body,
    headers: { 'content-type': 'application/json' },
  })

// Normalising it would take minutes, which no time-out of this test would survive.
test('a text of combining marks is refused before it is normalised', async () => {
  const marks = '\u0345\u0301'.repeat(240_000)
  expect((await login(JSON.stringify({ email: 'a@example.org', password: marks }))).status).toBe(400)
  for (const length of [31, 4000]) {
    const name = `a${'\u0301'.repeat(length)}`
    const { status } = await service.as(ada.token).post('/v1/apps', { name })
    expect(status).toBe(400)
  }
  expect((await service.as(ada.token).post('/v1/apps', { name: 'Cafe\u0301' })).body.name).toBe('Café')
})

test('a body nested deeper than 32 levels is refused, whatever stands in its strings', async () => {
  const nested = (depth: number) => `${'{"email":'.repeat(depth)}1${'}'.repeat(depth)}`
  expect((await login(nested(100_000))).body.error).toMatch(/nested/)
  expect((await login(nested(33))).body.error).toMatch(/nested/)
  expect((await login(nested(32))).body.error).not.toMatch(/nested/)
  const { status } = await service.as(ada.token).post('/v1/apps', { name: `["{${'['.repeat(50)}\\"` })
  expect(status).toBe(201)
})

test('a body of more than 1 MiB is 413, also when it does not say so', async () => {
  const large = new Uint8Array(1024 * 1024 + 1).fill(32)
  expect((await login(large)).status).toBe(413)
  const stream = new ReadableStream({
    start: (controller) => {
      for (let i = 0; i < 40; i++) controller.enqueue(new Uint8Array(65_536).fill(32))
      controller.close()
    },
  })
  const request = new Request('http://localhost/service/auth/password/login', {
    method: 'POST',
    body: stream,
    headers: { 'content-type': 'application/json' },
  })
  expect((await service.app.handle(request)).status).toBe(413)
})

test('a body that breaks off is 400, and no error of ours', async () => {
  const stream = new ReadableStream({
    pull: (controller) => controller.error(new Error('gone')),
  })
  const request = new Request('http://localhost/service/auth/password/login', {
    method: 'POST',
    body: stream,
    headers: { 'content-type': 'application/json' },
  })
  expect((await service.app.handle(request)).status).toBe(400)
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
