import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { owner } from '../../support/people.ts'
import { register, signIn } from '../../support/sign-in.ts'
import { redirectUri, ssoBrowser } from '../../support/sso.ts'

const notBegun = 'This sign-in was not begun in this browser, or more than 10 minutes ago. Start again.'

let one: IdentityProvider
let two: IdentityProvider
let ctx: TestContext
let service: ReturnType<typeof api>
let replicas: ReturnType<typeof api>[]

beforeAll(async () => {
  const uris = [redirectUri('one'), redirectUri('two')]
  one = await startIdentityProvider(uris)
  two = await startIdentityProvider(uris)
})
afterAll(async () => {
  await one.close()
  await two.close()
})

beforeEach(async () => {
  one.person = { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace' }
  two.person = { sub: 'eve', email: 'eve@example.org', email_verified: true, name: 'Eve' }
  const environment = { ...one.variables('one'), ...two.variables('two'), SSO_PROVIDERS: 'one,two' }
  ctx = await testContext({ ...environment, RATE_LIMIT_AUTH: 'off' }, new Date())
  service = api(ctx)
  replicas = [service, api(ctx)]
  await owner(ctx)
})
afterEach(() => ctx.close())

const sessionsInAll = async () => (await ctx.db`select 1 from sessions`).length

describe('an open redirect', () => {
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\r\nset-cookie: keyward_session=x',
    '/%2Fevil.example',
    '/%5Cevil.example',
    '/.//evil.example',
    'evil.example',
    '',
  ]
  test.each(elsewhere)('to %j is refused before it begins, and not repeated', async (path) => {
    const query = encodeURIComponent(path)
    const begin = '/service/auth/sso/one/authorize/'
    const browser = ssoBrowser(service)
    for (const answer of [
      await browser.get(`${begin}?return_to=${query}`, { accept: 'text/html' }),
      await browser.get(`${begin}?return_to=${query}`),
      await browser.post(begin, { return_to: path }),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.headers.get('location')).toBeNull()
      expect(answer.headers.get('set-cookie')).toBeNull()
      expect(JSON.stringify(answer.body)).not.toContain('evil')
    }
  })

  test('by two parameters, of which one is harmless, is refused', async () => {
    const { status } = await service.anonymous.get(
      '/service/auth/sso/one/authorize/?return_to=/&return_to=//evil.example',
    )
    expect(status).toBe(400)
  })

  test('by a parameter of the callback leads nowhere', async () => {
    const browser = ssoBrowser(service)
    const callback = await one.visit(await browser.begin('one'))
    callback.searchParams.set('return_to', 'https://evil.example')
    expect((await browser.comeBack(callback)).headers.get('location')).toBe('http://localhost/')
  })
})

describe('mixed-up providers', () => {
  test('the state of one at the callback of the other is refused, even with its cookie there', async () => {
    const browser = ssoBrowser(service)
    const callback = await one.visit(await browser.begin('one'))
    const path = `/service/auth/sso/two/callback/${callback.search}`
    const asSent = await browser.get(path)
    expect([asSent.status, asSent.body]).toEqual([400, { error: notBegun }])
    for (const { name, value } of browser.all()) browser.plant(name, value, '/service/auth/sso/two/')
    const planted = await browser.get(path)
    expect([planted.status, planted.body]).toEqual([400, { error: notBegun }])
    expect(await sessionsInAll()).toBe(0)
  })

  test('the code of one with the state of the other is refused', async () => {
    const browser = ssoBrowser(service)
    const honest = await one.visit(await browser.begin('one'))
    const other = await two.visit(await browser.begin('two'))
    const mixed = new URL(other)
    mixed.searchParams.set('code', honest.searchParams.get('code') ?? '')
    expect((await browser.comeBack(mixed)).status).toBe(403)
    const withIssuer = new URL(honest)
    withIssuer.searchParams.set('iss', two.issuer)
    expect((await browser.comeBack(withIssuer)).status).toBe(400)
    expect(await sessionsInAll()).toBe(0)
  })

  test('the same subject at another issuer is somebody else', async () => {
    await ssoBrowser(service).signIn('one', one)
    two.person = { ...one.person, email: 'other@example.org' }
    const browser = ssoBrowser(service)
    await browser.signIn('two', two)
    const me = (await service.as(await browser.token()).get('/v1/me')).body
    expect(me.email).toBe('other@example.org')
  })

  test('the address of an account at another provider does not link that one', async () => {
    await ssoBrowser(service).signIn('one', one)
    two.person = { ...one.person, sub: 'not-ada' }
    expect((await ssoBrowser(service).signIn('two', two)).status).toBe(403)
    expect(await ctx.db`select 1 from sso_identities`).toHaveLength(1)
  })
})

describe('a replay', () => {
  test('of code and state is refused, on every replica, with the cookie that was deleted', async () => {
    const browser = ssoBrowser(...replicas)
    const callback = await one.visit(await browser.begin('one'))
    const kept = browser.all()
    expect((await browser.comeBack(callback)).status).toBe(302)
    for (const replica of replicas) {
      const again = ssoBrowser(replica)
      for (const { name, value, path } of kept) again.plant(name, value, path)
      const { status, body } = await again.comeBack(callback)
      expect([status, body]).toEqual([400, { error: 'This sign-in has come back before. Start again.' }])
    }
    expect(await sessionsInAll()).toBe(1)
  })

  test('at the same moment on two replicas opens one session', async () => {
    const browser = ssoBrowser(service)
    const callback = await one.visit(await browser.begin('one'))
    const answers = await Promise.all(
      replicas.map((replica) => {
        const twin = ssoBrowser(replica)
        for (const { name, value, path } of browser.all()) twin.plant(name, value, path)
        return twin.comeBack(callback)
      }),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 400])
    expect(await sessionsInAll()).toBe(1)
  })

  test('of a fresh code with a state that failed is refused', async () => {
    const browser = ssoBrowser(service)
    const callback = await one.visit(await browser.begin('one'))
    const kept = browser.all()
    const wrong = new URL(callback)
    wrong.searchParams.set('code', 'x')
    expect((await browser.comeBack(wrong)).status).toBe(403)
    expect(browser.cookies('keyward_sso_')).toEqual([])
    for (const { name, value, path } of kept) browser.plant(name, value, path)
    expect((await browser.comeBack(callback)).status).toBe(400)
  })

  test('after ten minutes comes too late', async () => {
    const browser = ssoBrowser(service)
    const callback = await one.visit(await browser.begin('one'))
    ctx.clock.advance(600)
    const { status, body } = await browser.comeBack(callback)
    expect([status, body]).toEqual([400, { error: notBegun }])
  })
})

describe('login CSRF', () => {
  test("somebody else's callback signs nobody in, and leaves the session that is there", async () => {
    const ada = ssoBrowser(service)
    await ada.signIn('one', one)
    const before = ada.session()
    const eve = ssoBrowser(service)
    const callback = await two.visit(await eve.begin('two'))
    const { status, body } = await ada.comeBack(callback)
    expect([status, body]).toEqual([400, { error: notBegun }])
    expect(ada.session()).toBe(before)
    // Nor is it used up: whose it is can go on.
    expect((await eve.comeBack(callback)).status).toBe(302)
  })

  test("the attacker's code in the victim's own flow is refused", async () => {
    const ada = ssoBrowser(service)
    const begun = await ada.begin('one')
    const eve = ssoBrowser(service)
    one.person = { sub: 'eve', email: 'eve@example.org', email_verified: true }
    const stolen = await one.visit(await eve.begin('one'))
    const forged = new URL(stolen)
    forged.searchParams.set('state', begun.searchParams.get('state') ?? '')
    const { status } = await ada.comeBack(forged)
    expect(status).toBe(403)
    expect(await sessionsInAll()).toBe(0)
  })

  test('a callback without a state, with two, or with one that was made up is refused', async () => {
    const browser = ssoBrowser(service)
    const callback = await one.visit(await browser.begin('one'))
    const state = callback.searchParams.get('state') ?? ''
    const code = callback.searchParams.get('code')
    for (const query of [
      '',
      `?code=${code}`,
      `?code=${code}&state=`,
      `?code=${code}&state=${'A'.repeat(22)}`,
      `?code=${code}&state=${state}&state=${state}`,
      `?code=${code}&state=${state}%3B`,
      `?code=${code}&state=${'x'.repeat(5000)}`,
    ]) {
      const { status, body } = await browser.get(`/service/auth/sso/one/callback/${query}`)
      expect([query, status, body]).toEqual([query, 400, { error: notBegun }])
    }
    expect((await browser.comeBack(callback)).status).toBe(302)
  })

  test('a sign-in with a body can be begun by pages of this origin alone, as JSON', async () => {
    const path = '/service/auth/sso/one/authorize/'
    const json = { 'content-type': 'application/json' }
    for (const headers of [
      { ...json, origin: 'https://evil.example' },
      { ...json, 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await service.anonymous.send('POST', path, { body: '{}', headers })).status).toBe(403)
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await service.anonymous.send('POST', path, { body: 'invite=x', headers: form })).status).toBe(415)
  })
})

describe('session fixation', () => {
  test('a session id from before the sign-in is never the one after it', async () => {
    const eve = ssoBrowser(service)
    await eve.signIn('two', two)
    const planted = eve.session()
    const ada = ssoBrowser(service)
    ada.plant('keyward_session', planted.split('=')[1] ?? '', '/')
    await ada.signIn('one', one)
    expect(ada.session()).not.toBe(planted)
    const me = (await service.as(await ada.token()).get('/v1/me')).body
    expect(me.email).toBe('ada@example.org')
    const first = ada.session()
    await ada.signIn('one', one)
    expect(ada.session()).not.toBe(first)
  })
})

describe('a link', () => {
  const noLonger =
    'The session that started this is no longer the one of this browser. Sign in, and start again.'

  async function signedIn(email: string) {
    await register(service, { email })
    const browser = ssoBrowser(service)
    const { cookie } = await signIn(service, email)
    browser.plant('keyward_session', cookie.split('=')[1] ?? '', '/')
    return browser
  }

  test('that comes back to another session, or to none, is not made', async () => {
    const ada = await signedIn('ada@corp.example')
    const begun = await Promise.all([1, 2, 3, 4].map(() => ada.beginLink('one')))
    const [toEve, toNobody, toOwnOther, toEnded] = await Promise.all(begun.map((url) => one.visit(url)))
    const own = ada.session()
    const eve = await signedIn('eve@corp.example')
    const otherOfAda = await signIn(service, 'ada@corp.example')
    const comeBackWith = async (session: string | null, callback: URL | undefined) => {
      const browser = ssoBrowser(service)
      for (const { name, value, path } of ada.all())
        if (name !== 'keyward_session') browser.plant(name, value, path)
      if (session !== null) browser.plant('keyward_session', session.split('=')[1] ?? '', '/')
      const { status, body } = await browser.comeBack(callback as URL)
      expect([status, body]).toEqual([403, { error: noLonger }])
    }
    await comeBackWith(eve.session(), toEve)
    await comeBackWith(null, toNobody)
    await comeBackWith(otherOfAda.cookie, toOwnOther)
    await ada.post('/service/auth/logout/')
    await comeBackWith(own, toEnded)
    expect(await ctx.db`select 1 from sso_identities`).toHaveLength(0)
    const entries =
      await ctx.db`select resource_id, count from audit_entries where event_type = 'user.sign_in_failed'`
    const [adaRow] = await ctx.db`select id from users where email = 'ada@corp.example'`
    expect([...entries]).toEqual([{ resource_id: adaRow?.id, count: 4 }])
  })

  test('is no sign-in: the callback of one never links, and that of a link never signs in', async () => {
    const ada = await signedIn('ada@corp.example')
    await ada.comeBack(await one.visit(await ada.begin('one')))
    const users = await ctx.db`select u.email from sso_identities i join users u on u.id = i.user_id`
    expect([...users]).toEqual([{ email: 'ada@example.org' }])
  })
})

describe('addresses that look alike', () => {
  test.each(['\u212Aate@example.org', 'k\u0430te@example.org', 'kate@example.org\u200B'])(
    '%j gets no account of kate@example.org, not even with a permission and an invite',
    async (email) => {
      await register(service, { email: 'kate@example.org' })
      await ctx.db`update users set link_allowed_until = ${new Date(Date.now() + 60_000)}`
      one.person = { sub: 'eve', email, email_verified: true }
      expect((await ssoBrowser(service).signIn('one', one)).status).toBe(403)
      expect(await ctx.db`select 1 from sso_identities`).toHaveLength(0)
    },
  )
})

describe('at the same moment', () => {
  test('two sign-ins of one new person are one account, on two replicas', async () => {
    const browsers = replicas.map((replica) => ssoBrowser(replica))
    const callbacks = await Promise.all(
      browsers.map(async (browser) => await one.visit(await browser.begin('one'))),
    )
    const answers = await Promise.all(browsers.map((browser, i) => browser.comeBack(callbacks[i] as URL)))
    expect(answers.map(({ status }) => status)).toEqual([302, 302])
    expect(await ctx.db`select 1 from users where email = 'ada@example.org'`).toHaveLength(1)
    expect(await ctx.db`select 1 from sso_identities`).toHaveLength(1)
    expect(await sessionsInAll()).toBe(2)
  })

  test('two identities of one address with one permission: one is linked', async () => {
    await register(service, { email: 'ada@example.org' })
    await ctx.db`update users set link_allowed_until = ${new Date(Date.now() + 60_000)} where email = 'ada@example.org'`
    two.person = { ...one.person, sub: 'other' }
    const [first, second] = replicas.map((replica) => ssoBrowser(replica)) as [
      ReturnType<typeof ssoBrowser>,
      ReturnType<typeof ssoBrowser>,
    ]
    const callbacks = [await one.visit(await first.begin('one')), await two.visit(await second.begin('two'))]
    const answers = await Promise.all([
      first.comeBack(callbacks[0] as URL),
      second.comeBack(callbacks[1] as URL),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 403])
    expect(await ctx.db`select 1 from sso_identities`).toHaveLength(1)
  })
})
