import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startChromium } from '../support/chromium.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { freePort } from '../support/free-port.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { owner, roleOf, session } from '../support/people.ts'
import { startReplicas } from '../support/replicas.ts'

// Keyward is at 127.0.0.1 and the identity provider at localhost: different sites, as a browser sees it.

const ADA = { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace' }

let chromium: Browser
let idp: IdentityProvider
let ctx: TestContext
let keyward: { stop(): Promise<void> }
let origin: string
let tab: Page
let browser: BrowserContext

beforeAll(async () => {
  chromium = await startChromium()
})
afterAll(() => chromium.close())

beforeEach(async () => await start())
afterEach(async () => {
  await browser.close()
  await keyward.stop()
  await ctx.close()
  await idp.close()
})

async function start(environment: Record<string, string> = {}) {
  const port = freePort()
  origin = `http://127.0.0.1:${port}`
  idp = await startIdentityProvider([`${origin}/service/auth/sso/keycloak/callback/`])
  idp.person = ADA
  ctx = await testContext(
    { HOST: `127.0.0.1:${port}`, ...idp.variables('keycloak'), RATE_LIMIT_AUTH: 'off', ...environment },
    new Date(),
  )
  keyward = startReplicas(ctx, port)
  browser = await chromium.newContext()
  tab = await browser.newPage()
}

const authorize = '/service/auth/sso/keycloak/authorize/'
const cookieNames = async () => (await browser.cookies()).map(({ name }) => name)

/** What a page of the console does: a request of its own origin, with the browser's cookies. */
const call = (method: string, path: string, body: object = {}, page = tab) =>
  page.evaluate(
    async ([method, path, body]) => {
      const init = { method, headers: { 'content-type': 'application/json' } }
      const response = await fetch(path, method === 'GET' ? init : { ...init, body })
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
    },
    [method, path, JSON.stringify(body)] as const,
  )

/** Who is signed in, by the session cookie. */
async function me(page = tab) {
  const { body } = await call('POST', '/service/auth/session/', {}, page)
  const response = await fetch(`${origin}/v1/me`, {
    headers: { authorization: `Bearer ${body?.accessToken}` },
  })
  return (await response.json()) as { email: string; role: { name: string } | null }
}

const failure = () => tab.locator('main p').first().textContent()

test('a person signs in over two replicas, comes to where it began for, and is the Owner', async () => {
  await tab.goto(`${origin}${authorize}?return_to=${encodeURIComponent('/?from=test#here')}`)
  expect(tab.url()).toBe(`${origin}/?from=test#here`)
  expect(await me()).toMatchObject({ email: 'ada@example.org', role: { name: 'Owner' } })
  const cookies = await browser.cookies()
  expect(cookies.find(({ name }) => name === 'keyward_session')).toMatchObject({
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
  })
  expect(cookies.filter(({ name }) => name.startsWith('keyward_sso_'))).toEqual([])
})

test('the older redirect address leads to the same end', async () => {
  await tab.goto(origin)
  const { body } = await call('POST', authorize)
  const callback = await idp.visit(new URL(body.url))
  await tab.goto(`${origin}/api/auth/callback/keycloak${callback.search}`)
  expect(tab.url()).toBe(`${origin}/`)
  expect(await me()).toMatchObject({ email: 'ada@example.org' })
})

test('an invite is accepted in the same step', async () => {
  const grace = await owner(ctx)
  const invited = await fetch(`${origin}/v1/members/invites`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await session(ctx, grace.userId)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ email: 'ada@example.org', role_id: (await roleOf(ctx, 'developer')).id }),
  })
  const { inviteUrl } = (await invited.json()) as { inviteUrl: string }
  await tab.goto(inviteUrl)
  const invite = new URL(inviteUrl).hash.slice(1)
  const { status, body } = await call('POST', authorize, { invite, return_to: '/' })
  expect(status).toBe(200)
  expect(body.url).not.toContain(invite)
  await tab.goto(body.url)
  expect(await me()).toMatchObject({ email: 'ada@example.org', role: { name: 'Developer' } })
})

test('the setup token is sent in a body, and the plain address is refused without it', async () => {
  await browser.close()
  await keyward.stop()
  await ctx.close()
  await idp.close()
  await start({ SETUP_TOKEN: 'open sesame' })
  await tab.goto(`${origin}${authorize}`)
  expect(await failure()).toBe('The first account needs setup_token, with the value of SETUP_TOKEN.')
  await tab.getByText('Back to Keyward').click()
  await tab.waitForURL(`${origin}/`)
  const { body } = await call('POST', authorize, { setup_token: 'open sesame' })
  await tab.goto(body.url)
  expect(await me()).toMatchObject({ role: { name: 'Owner' } })
})

test('an account at the provider is linked to the account of the session, and unlinked', async () => {
  await owner(ctx)
  await tab.goto(origin)
  const password = 'correct horse battery staple'
  await call('POST', '/service/auth/password/register/', { email: 'ada@corp.example', password })
  await call('POST', '/service/auth/password/login/', { email: 'ada@corp.example', password })
  const { body } = await call('POST', '/service/auth/sso/keycloak/link/', { return_to: '/?linked' })
  await tab.goto(body.url)
  expect(tab.url()).toBe(`${origin}/?linked`)
  const { body: linked } = await call('GET', '/service/auth/sso/identities/')
  expect(linked.data).toMatchObject([{ provider: 'keycloak', name: 'Keycloak' }])
  const other = await chromium.newContext()
  const page = await other.newPage()
  await page.goto(`${origin}${authorize}`)
  expect(await me(page)).toMatchObject({ email: 'ada@corp.example' })
  await other.close()
  expect((await call('DELETE', '/service/auth/sso/keycloak/link/')).status).toBe(204)
})

test('several tabs sign in at once', async () => {
  // The provider itself takes one first sign-in of a browser at a time.
  await tab.goto(`${origin}${authorize}`)
  const tabs = [tab, await browser.newPage(), await browser.newPage()]
  await Promise.all(tabs.map((page) => page.goto(`${origin}${authorize}`)))
  for (const page of tabs) expect(page.url()).toBe(`${origin}/`)
  expect(await ctx.db`select 1 from users`).toHaveLength(1)
  expect((await cookieNames()).filter((name) => name.startsWith('keyward_sso_'))).toEqual([])
})

test("somebody else's callback is a page that says so, with a way back, and nothing runs or is blocked on it", async () => {
  await owner(ctx)
  await tab.goto(origin)
  const { body } = await call('POST', authorize)
  const callback = await idp.visit(new URL(body.url))
  const other = await chromium.newContext({ colorScheme: 'dark' })
  const page = await other.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  const response = await page.goto(callback.href)
  expect(response?.status()).toBe(400)
  expect(await page.locator('h1').textContent()).toBe('Sign-in failed')
  expect(await page.locator('main p').first().textContent()).toBe(
    'This sign-in was not begun in this browser, or more than 10 minutes ago. Start again.',
  )
  const width = await page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth")
  expect(width).toBe('640px')
  const about400 = /status of 400/
  expect(complaints.filter((text) => !about400.test(text))).toEqual([])
  expect((await other.cookies()).map(({ name }) => name)).toEqual([])
  const { SCREENSHOTS } = process.env
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/sign-in-failed.png` })
  await page.getByText('Back to Keyward').click()
  await page.waitForURL(`${origin}/`)
  await other.close()
})

test('a link of another site that leads elsewhere is refused in the browser, too', async () => {
  await tab.goto(`${origin}${authorize}?return_to=${encodeURIComponent('/\\evil.example')}`)
  expect(tab.url()).toStartWith(`${origin}/service/auth/sso/`)
  expect(await failure()).toBe(
    'return_to must be a path of this service, such as /apps, of at most 512 characters.',
  )
})
