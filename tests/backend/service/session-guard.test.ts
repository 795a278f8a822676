import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'
import { type Browser, newEmail, PASSWORD, register, signIn } from '../../support/sign-in.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let email: string
let session: Browser

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  email = newEmail()
  await register(service, { email })
  session = await signIn(service, email)
})
afterAll(() => ctx.close())

const json = { 'content-type': 'application/json' }
const foreign = 'Requests from other sites are not allowed.'

/** Every route under `/service/auth/` that is not a GET, with a body that would do. */
const changing = [
  ['POST', '/password/register', { email: 'x@example.org', password: PASSWORD }],
  ['POST', '/password/login', { email: 'x@example.org', password: PASSWORD }],
  ['POST', '/password/change', { current_password: PASSWORD, new_password: PASSWORD }],
  ['POST', '/session', undefined],
  ['POST', '/logout', undefined],
  ['DELETE', '/sessions/4f9d5a52-6f0b-4a9e-8a3c-0d6f3b1c2e7a', undefined],
  ['POST', '/ownership/transfer', { member_id: 'x' }],
  ['POST', '/sso/keycloak/authorize', {}],
  ['POST', '/sso/keycloak/link', {}],
  ['DELETE', '/sso/keycloak/link', undefined],
] as const

describe('what is not a GET', () => {
  test.each(changing)(
    '%s %s is 403 from pages of another origin, and changes nothing',
    async (method, path, body) => {
      const places = [
        { origin: 'https://evil.example.org' },
        { origin: 'null' },
        { origin: 'http://localhost:9999' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { origin: 'http://localhost', 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example.org', 'sec-fetch-site': 'same-origin' },
      ]
      for (const place of places) {
        const { status, body: answer, headers } = await session.send(method, path, body, place)
        expect([status, answer]).toEqual([403, { error: foreign }])
        expect(headers.get('set-cookie')).toBeNull()
      }
      expect((await session.get('/sessions')).status).toBe(200)
    },
  )

  test.each(changing)('%s %s is 415 unless it is sent as JSON, body or not', async (method, path, body) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json-seq', '']) {
      const { status } = await session.send(method, path, body, { 'content-type': type })
      expect(status).toBe(415)
    }
    expect((await session.get('/sessions')).status).toBe(200)
  })

  test('an origin that may call /v1 is still not the public one', async () => {
    const config = testConfig({
      ALLOWED_ORIGINS: 'http://localhost,https://partner.example.org',
      RATE_LIMIT_AUTH: 'off',
    })
    const friendly = session.at(api({ ...ctx, config }))
    const answer = await friendly.send('POST', '/session', undefined, {
      origin: 'https://partner.example.org',
      'sec-fetch-site': 'cross-site',
    })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('behind https the public origin is right, and only that', async () => {
    const config = testConfig({
      HOST: 'https://keyward.example.org',
      ALLOWED_HOSTS: 'keyward.example.org,localhost',
      ALLOWED_ORIGINS: 'https://keyward.example.org,https://partner.example.org',
      RATE_LIMIT_AUTH: 'off',
    })
    const secure = await signIn(api({ ...ctx, config }), email)
    expect(secure.cookie).toStartWith('__Host-keyward_session=')
    const from = (origin: string) =>
      secure.send('POST', '/session', undefined, { origin }).then(({ status }) => status)
    expect(await from('https://keyward.example.org')).toBe(200)
    expect(await from('http://keyward.example.org')).toBe(403)
    expect(await from('http://localhost')).toBe(403)
    expect(await from('https://partner.example.org')).toBe(403)
    const plain = secure.cookie.replace('__Host-', '')
    expect(
      (await secure.send('POST', '/session', undefined, { cookie: plain, origin: config.origin })).status,
    ).toBe(401)
  })

  test('a client that sends no origin, unlike a browser, is let in; an empty body does where none is needed', async () => {
    const headers = { cookie: session.cookie, ...json }
    expect((await service.anonymous.send('POST', '/service/auth/session', { headers })).status).toBe(200)
    expect(
      (await service.anonymous.send('POST', '/service/auth/session', { headers, body: '{}' })).status,
    ).toBe(200)
    expect(
      (await service.anonymous.send('POST', '/service/auth/session', { headers, body: '{' })).status,
    ).toBe(400)
    for (const charset of ['utf-8', 'UTF-8', '"utf-8"']) {
      const typed = { ...headers, 'content-type': `application/json; charset=${charset}` }
      expect((await service.anonymous.send('POST', '/service/auth/session', { headers: typed })).status).toBe(
        200,
      )
    }
  })

  test('on localhost any port is its own origin', async () => {
    const headers = {
      cookie: session.cookie,
      ...json,
      host: '127.0.0.1:8123',
      origin: 'http://127.0.0.1:8123',
    }
    expect((await service.anonymous.send('POST', '/service/auth/session', { headers })).status).toBe(200)
    const other = { ...headers, origin: 'http://127.0.0.1:8124' }
    expect((await service.anonymous.send('POST', '/service/auth/session', { headers: other })).status).toBe(
      403,
    )
  })

  test('credentials come before everything about the request', async () => {
    const bad = { body: '{', headers: { origin: 'https://evil.example.org', 'content-type': 'text/plain' } }
    for (const path of ['/session', '/logout', '/password/change', '/ownership/transfer']) {
      expect((await service.anonymous.send('POST', `/service/auth${path}`, bad)).status).toBe(401)
    }
  })
})

test('the cookie opens nothing under /v1', async () => {
  const { status } = await service.anonymous.send('GET', '/v1/me', { headers: { cookie: session.cookie } })
  expect(status).toBe(401)
  const value = session.cookie.split('=')[1] ?? ''
  expect((await service.as(value).get('/v1/me')).status).toBe(401)
})

test('a bearer that is sent counts, not the cookie beside it', async () => {
  const { status } = await session.send('GET', '/sessions', undefined, { authorization: 'Bearer junk' })
  expect(status).toBe(401)
})
