import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Context } from '../../../src/context.ts'
import { DomainError } from '../../../src/core/errors.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { SsoProvider } from '../../../src/platform/sso/provider.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { type MaliciousProvider, startMaliciousProvider } from '../../support/malicious-provider.ts'
import { owner } from '../../support/people.ts'
import { redirectUri, ssoBrowser } from '../../support/sso.ts'

const NOBODY = '00000000-0000-0000-0000-000000000000'
const html = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' }

let idp: MaliciousProvider
let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Awaited<ReturnType<typeof owner>>
let log: ReturnType<typeof recordedLog>

beforeAll(() => {
  idp = startMaliciousProvider(systemClock)
})
afterAll(() => idp.close())

beforeEach(async () => {
  idp.reset()
  log = recordedLog()
  ctx = await testContext({ ...idp.variables('acme'), RATE_LIMIT_AUTH: 'off' }, new Date())
  service = at({})
  ada = await owner(ctx)
})
afterEach(() => ctx.close())

const at = (changes: Partial<Context>) => api({ ...ctx, log: log.log, ...changes })
const entries = async () => [
  ...(await ctx.db`
    select event_type, actor_id, resource_id, description, count from audit_entries
    where event_type = 'user.sign_in_failed' order by count`),
]

/** Goes through a sign-in, and answers as to a browser. */
async function throughAPage(browser = ssoBrowser(service)) {
  const callback = await idp.visit(await browser.begin('acme'))
  const started = performance.now()
  const answer = await browser.get(`${callback.pathname}${callback.search}`, html)
  return { ...answer, callback, seconds: (performance.now() - started) / 1000 }
}

describe('a failure is a page for a browser', () => {
  test('with one sentence, a way back and the id of the request, and runs and loads nothing', async () => {
    idp.claims = (honest) => ({ ...honest, email_verified: false })
    const { status, body, headers } = await throughAPage()
    expect(status).toBe(403)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(body).toContain('acme does not say that your e-mail address is verified.')
    expect(body).toContain('<a href="/">Back to Keyward</a>')
    expect(body).toContain(headers.get('x-request-id') ?? 'none')
    expect(body).not.toMatch(/<script|<img|<link|<form|http|javascript:|\son\w+=/i)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? ''
    expect(policy).toContain(new Bun.CryptoHasher('sha256').update(style).digest('base64'))
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('set-cookie')).toMatch(/^keyward_sso_[\w-]{22}=; Path=\/; Max-Age=0;/)
  })

  test('and one sentence in JSON for other clients', async () => {
    const { status, body } = await service.anonymous.get('/service/auth/sso/acme/callback/?state=x')
    expect(status).toBe(400)
    expect(Object.keys(body)).toEqual(['error'])
  })

  test('also at the start, for an unknown provider, and when there are too many', async () => {
    const browser = ssoBrowser(service)
    const start = await browser.get('/service/auth/sso/acme/authorize/?return_to=//evil.example', html)
    expect([start.status, start.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    const unknown = await browser.get('/service/auth/sso/%3Cscript%3E/authorize/', html)
    expect(unknown.status).toBe(404)
    expect(unknown.body).not.toContain('script')
  })

  test('shows nothing of what is in the address', async () => {
    const browser = ssoBrowser(service)
    const { searchParams } = await browser.begin('acme')
    const query = new URLSearchParams({
      state: searchParams.get('state') ?? '',
      error: 'access_denied',
      error_description: '<script>alert(1)</script>',
      error_uri: 'https://evil.example',
      iss: idp.issuer,
    })
    const { status, body } = await browser.get(`/service/auth/sso/acme/callback/?${query}`, html)
    expect(status).toBe(403)
    expect(body).toContain('You were not signed in at acme.')
    expect(body).not.toMatch(/script|evil|access_denied/)
  })
})

describe('a failure is recorded', () => {
  test('with its reason, by nobody where no account is known; each reason of a minute once', async () => {
    const browser = ssoBrowser(service)
    for (let i = 0; i < 3; i++) await browser.get('/service/auth/sso/acme/callback/?state=x')
    idp.claims = (honest) => ({ ...honest, email_verified: false })
    await throughAPage()
    expect(await entries()).toEqual([
      expect.objectContaining({
        actor_id: NOBODY,
        resource_id: null,
        count: 1,
        description: expect.stringContaining('Sign-in with acme failed: acme does not say'),
      }),
      expect.objectContaining({
        actor_id: NOBODY,
        count: 3,
        description: expect.stringContaining('Sign-in with acme failed: This sign-in was not begun'),
      }),
    ])
    expect(ctx.metrics.text()).toContain('keyward_sign_ins_total{method="sso",outcome="failed"} 3')
    expect(ctx.metrics.text()).toContain('keyward_sign_ins_total{method="sso",outcome="refused"} 1')
    const { body } = await service.as(ada.token).get('/v1/logs/audit?event_type=user.sign_in_failed')
    expect(body.data).toHaveLength(2)
  })

  test('with its cause in the log, without code, state, token or address', async () => {
    idp.claims = (honest) => ({ ...honest, aud: 'another-client' })
    const { status, callback, body } = await throughAPage()
    expect(status).toBe(400)
    expect(body).not.toContain('another-client')
    const warning = JSON.parse(log.warnings()[0] ?? '{}')
    expect(warning).toMatchObject({
      provider: 'acme',
      cause: 'The ID token was issued to another client (aud is "another-client"), not to keyward.',
    })
    idp.reset()
    await throughAPage()
    const text = `${log.lines.join('\n')}${JSON.stringify(await ctx.db`select * from audit_entries`)}`
    for (const name of ['code', 'state'])
      expect(text).not.toContain(callback.searchParams.get(name) as string)
    expect(text).not.toContain('@example')
    expect(text).not.toContain('eyJ')
  })

  test('a missing cookie names the address that people should use', async () => {
    await service.anonymous.get(`/service/auth/sso/acme/callback/?state=${'a'.repeat(22)}`)
    expect(log.warnings()[0]).toContain('people open Keyward at another address than http://localhost.')
  })
})

describe('a provider that is in trouble', () => {
  const unreachable = "acme can't be reached at the moment. Try again soon, or sign in another way."

  test('at the start says so, and sign-in with a password goes on', async () => {
    idp.answers.discovery = () => new Response('down', { status: 500 })
    const browser = ssoBrowser(service)
    const { status, body } = await browser.get('/service/auth/sso/acme/authorize/')
    expect([status, body]).toEqual([503, { error: unreachable }])
    expect((await entries())[0]?.description).toBe(`Sign-in with acme failed: ${unreachable}`)
    expect((await service.anonymous.get('/service/auth/sso/providers/')).body).toEqual({ data: [] })
    expect((await service.anonymous.get('/service/auth/methods/')).body.password).toBe(true)
  })

  test('by never answering is given up within its time', async () => {
    idp.answers.token = () => new Promise<Response>(() => {})
    const { status, body, seconds } = await throughAPage()
    expect([status, body.includes(unreachable.replace("'", '&#39;'))]).toEqual([503, true])
    expect(seconds).toBeLessThan(5)
    expect(await ctx.db`select 1 from sessions`).toHaveLength(0)
  })

  test('delays no sign-in with a password, however many wait for it', async () => {
    let release = () => {}
    const waiting = new Promise<void>((done) => {
      release = done
    })
    idp.answers.token = async (honest) => {
      await waiting
      return honest()
    }
    const browsers = Array.from({ length: 70 }, () => ssoBrowser(service))
    const callbacks = await Promise.all(
      browsers.map(async (browser) => await idp.visit(await browser.begin('acme'))),
    )
    const coming = browsers.map((browser, i) => browser.comeBack(callbacks[i] as URL))
    await eventually(
      'as many as may wait for the provider, and the others for their turn',
      async () => idp.requests.filter(({ endpoint }) => endpoint === 'token').length === 16,
    )
    const { status } = await service.anonymous.post('/service/auth/password/login/', {
      email: 'nobody@example.org',
      password: 'wrong',
    })
    expect(status).toBe(401)
    release()
    const statuses = (await Promise.all(coming)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([302]))
  })

  test('by answering without end is given up', async () => {
    const chunk = new Uint8Array(64 * 1024)
    let sent = 0
    idp.answers.token = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            sent += chunk.length
            controller.enqueue(chunk)
          },
        }),
      )
    const { status, seconds } = await throughAPage()
    expect([400, 503]).toContain(status)
    expect(seconds).toBeLessThan(5)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('with tokens for another client of the same issuer signs nobody in', async () => {
    for (const claims of [{ aud: 'other' }, { aud: ['keyward', 'other'], azp: 'other' }, { azp: 'other' }]) {
      idp.claims = (honest) => ({ ...honest, ...claims })
      expect((await throughAPage()).status).toBe(400)
    }
    expect(await ctx.db`select 1 from sso_identities`).toHaveLength(0)
  })
})

test('a provider that takes longer than a read may, has the time that it has; the sign-in completes', async () => {
  const slow: SsoProvider = {
    ...(ctx.sso[0] as SsoProvider),
    profileOf: async (...parameters) => {
      await Bun.sleep(1500)
      return await (ctx.sso[0] as SsoProvider).profileOf(...parameters)
    },
  }
  const db = Object.assign(Object.create(ctx.db), {
    deadlines: { ...ctx.db.deadlines, statementMilliseconds: 1000 },
  })
  const hurried = new Proxy(ctx.db, {
    get: (target, key) => (key === 'deadlines' ? db.deadlines : Reflect.get(target, key, target)),
  })
  const browser = ssoBrowser(at({ sso: [slow], db: hurried }))
  const { status } = await throughAPage(browser)
  expect(status).toBe(302)
})

test('trouble of the database is not a failure of the sign-in', async () => {
  const broken: SsoProvider = {
    ...(ctx.sso[0] as SsoProvider),
    profileOf: async () => {
      throw new DomainError(503, 'The database is busy.')
    },
  }
  const { status, headers } = await throughAPage(ssoBrowser(at({ sso: [broken] })))
  expect([status, headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
  expect(await entries()).toEqual([])
})

test('starts and callbacks are counted for each network, and refused beyond 60 a minute', async () => {
  const limited = await testContext(idp.variables('acme'), new Date())
  const [one, other] = [api(limited, '203.0.113.7'), api(limited, '203.0.113.8')]
  for (const path of ['authorize/', 'callback/?state=x']) {
    const statuses: number[] = []
    for (let i = 0; i < 61; i++)
      statuses.push((await one.anonymous.get(`/service/auth/sso/acme/${path}`)).status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    expect(statuses.at(-1)).toBe(429)
    expect((await other.anonymous.get(`/service/auth/sso/acme/${path}`)).status).not.toBe(429)
  }
  const page = await one.anonymous.send('GET', '/service/auth/sso/acme/authorize/', { headers: html })
  expect(page.headers.get('retry-after')).not.toBeNull()
  expect(page.body).toContain('Too many sign-ins. Try again later.')
  await limited.close()
})

test('redirect addresses are the public ones, whatever Host the request has', async () => {
  const { headers } = await service.anonymous.send('GET', '/service/auth/sso/acme/authorize/', {
    headers: { host: '127.0.0.1:1234', 'x-forwarded-host': 'evil.example' },
  })
  const { searchParams } = new URL(headers.get('location') ?? '')
  expect(searchParams.get('redirect_uri')).toBe(redirectUri('acme'))
})
