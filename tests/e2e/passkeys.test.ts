import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { createApp } from '../../src/backend/app.ts'
import { codeOf, stepOf } from '../../src/core/second-factor/totp-codes.ts'
import { startChromium } from '../support/chromium.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { freePort } from '../support/free-port.ts'
import { newEmail, PASSWORD } from '../support/sign-in.ts'

// A real browser with Chromium's virtual authenticator, over two replicas.

let chromium: Browser
let ctx: TestContext
let server: ReturnType<typeof Bun.serve>
let origin: string
let browser: BrowserContext
let page: Page
let email: string

beforeAll(async () => {
  chromium = await startChromium()
})
afterAll(() => chromium.close())

beforeEach(async () => {
  const port = freePort()
  origin = `http://localhost:${port}`
  ctx = await testContext({ HOST: origin, RATE_LIMIT_AUTH: 'off' })
  const replicas = [createApp(ctx, () => '127.0.0.1'), createApp(ctx, () => '127.0.0.1')]
  let turn = 0
  server = Bun.serve({
    port,
    hostname: 'localhost',
    fetch: async (request) => {
      if (new URL(request.url).pathname === '/') return html()
      turn = (turn + 1) % replicas.length
      return (await replicas[turn]?.fetch(request)) ?? new Response(null, { status: 502 })
    },
  })
  browser = await chromium.newContext()
  page = await open(browser)
  email = newEmail()
  await call('POST', '/password/register', { email, password: PASSWORD })
  await call('POST', '/password/login', { email, password: PASSWORD })
})
afterEach(async () => {
  await browser.close()
  await server.stop(true)
  await ctx.close()
})

const html = () =>
  new Response('<!doctype html><title>Keyward</title>', { headers: { 'content-type': 'text/html' } })

async function open(context: BrowserContext): Promise<Page> {
  const opened = await context.newPage()
  await opened.goto(`${origin}/`)
  return opened
}

/** What a page of the console does: a request of its own origin, with the browser's cookies. */
const call = (method: string, path: string, body: object = {}, from = page) =>
  from.evaluate(
    async ([method, path, body]) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method, headers, ...(method !== 'GET' && { body }) }
      const response = await fetch(`/service/auth${path}`, init)
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
    },
    [method, path, JSON.stringify(body)] as const,
  )

/** Plugs an authenticator of the machine into a page: with a fingerprint that is recognised, unless told otherwise. */
async function plugIn(into: Page): Promise<{ session: CDPSession; authenticatorId: string }> {
  const session = await into.context().newCDPSession(into)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { session, authenticatorId }
}

/** Has the browser create a passkey, or use one; gives what it says, or the name of its error. */
const ask = (kind: 'create' | 'get', options: unknown, from = page) =>
  from.evaluate(
    async ([kind, options]) => {
      // biome-ignore lint/suspicious/noExplicitAny: what only browsers know
      const { PublicKeyCredential: api, navigator } = globalThis as any
      try {
        const credential =
          kind === 'create'
            ? await navigator.credentials.create({ publicKey: api.parseCreationOptionsFromJSON(options) })
            : await navigator.credentials.get({ publicKey: api.parseRequestOptionsFromJSON(options) })
        return credential.toJSON()
      } catch (error) {
        return (error as Error).name
      }
    },
    [kind, options] as const,
  )

async function addPasskey(name: string) {
  const passkey = await ask('create', (await call('POST', '/passkeys/registration')).body)
  return await call('POST', '/passkeys', { name, passkey })
}

describe('a passkey in Chromium', () => {
  test('is added, signs in by itself, is a second factor after the password, and is removed', async () => {
    await plugIn(page)
    const added = await addPasskey('Laptop')
    expect([added.status, added.body.recoveryCodes.length]).toEqual([201, 10])
    await call('POST', '/logout')

    const options = (await call('POST', '/passkeys/options')).body
    const alone = await call('POST', '/passkeys/sign-in', { passkey: await ask('get', options) })
    expect([alone.status, alone.body.user.email]).toEqual([200, email])
    expect((await call('POST', '/session')).status).toBe(200)
    await call('POST', '/logout')

    const { ticket } = (await call('POST', '/password/login', { email, password: PASSWORD })).body
      .secondFactor
    expect((await call('POST', '/session')).status).toBe(401)
    const passkey = await ask('get', (await call('POST', '/passkeys/options', { ticket })).body)
    expect((await call('POST', '/second-factor', { ticket, passkey })).status).toBe(200)
    const [listed] = (await call('GET', '/passkeys')).body.data
    expect(listed).toMatchObject({
      id: added.body.id,
      name: 'Laptop',
      lastUsedAt: ctx.clock.now().toISOString(),
    })

    expect((await call('DELETE', `/passkeys/${listed.id}`)).status).toBe(204)
    await call('POST', '/logout')
    const gone = await ask('get', (await call('POST', '/passkeys/options')).body)
    expect((await call('POST', '/passkeys/sign-in', { passkey: gone })).status).toBe(401)
  })

  test('is not made twice on one authenticator, and not used without the fingerprint', async () => {
    const { session, authenticatorId } = await plugIn(page)
    expect((await addPasskey('Laptop')).status).toBe(201)
    const again = await ask('create', (await call('POST', '/passkeys/registration')).body)
    expect(again).toBe('InvalidStateError')
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    const options = (await call('POST', '/passkeys/options')).body
    expect(await ask('get', options)).toBe('NotAllowedError')
  })

  test('answers for the browser that asked, not for another one that has stolen the answer', async () => {
    await plugIn(page)
    await addPasskey('Laptop')
    const passkey = await ask('get', (await call('POST', '/passkeys/options')).body)
    const elsewhere = await chromium.newContext()
    const thief = await open(elsewhere)
    await call('POST', '/passkeys/options', {}, thief)
    expect((await call('POST', '/passkeys/sign-in', { passkey }, thief)).status).toBe(401)
    await elsewhere.close()
    expect((await call('POST', '/passkeys/sign-in', { passkey })).status).toBe(200)
    expect((await call('POST', '/passkeys/sign-in', { passkey })).status).toBe(401)
  })

  test('and two tabs at once do not disturb each other', async () => {
    await plugIn(page)
    await addPasskey('Laptop')
    const first = (await call('POST', '/passkeys/options')).body
    const tab = await open(browser)
    await call('POST', '/passkeys/options', {}, tab)
    expect((await call('POST', '/passkeys/sign-in', { passkey: await ask('get', first) })).status).toBe(200)
  })

  test('or an authenticator app completes a sign-in in the same way', async () => {
    const { secret } = (await call('POST', '/totp')).body
    const code = (later: number) => codeOf(secret, stepOf(ctx.clock.now()) + later)
    expect((await call('POST', '/totp/confirm', { totp: code(0) })).body.recoveryCodes).toHaveLength(10)
    const { ticket } = (await call('POST', '/password/login', { email, password: PASSWORD })).body
      .secondFactor
    expect((await call('POST', '/second-factor', { ticket, totp: code(1) })).status).toBe(200)
    const cookies = await browser.cookies()
    for (const name of ['keyward_session', 'keyward_browser'])
      expect(cookies.find((cookie) => cookie.name === name)).toMatchObject({
        httpOnly: true,
        sameSite: 'Lax',
      })
  })
})
