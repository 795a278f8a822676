import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { unwrapWithSecretKey } from '../../src/core/keys/wrapping.ts'
import { x25519PublicOf } from '../../src/core/keys/x25519.ts'
import { codeOf, stepOf } from '../../src/core/second-factor/totp-codes.ts'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { signInThrough, totpOf } from '../support/console-sign-in.ts'
import { expectCount, expectSoon, settled } from '../support/page-reads.ts'
import { PASSWORD } from '../support/sign-in.ts'

let console: ConsoleUnderTest
let ingrid: Visitor

afterEach(() => expect(pageProblems()).toEqual([]))

describe('a session', () => {
  beforeAll(async () => {
    console = await startConsole()
    ingrid = await console.founder()
  })
  afterAll(() => console.close())

  const endSessionsOf = ({ email }: Visitor) =>
    console.ctx.db`delete from sessions where user_id = (select id from users where email = ${email})`

  test('that has ended is begun anew over the page, with the second factor, and what was typed is kept', async () => {
    const ana = await console.person('Ana Duarte', 'Developer')
    const { secret } = await totpOf(console, ana)
    const { page } = ana
    await page.goto(`${console.origin}/settings/tokens`)
    await page.getByRole('button', { name: 'New token' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('laptop of Ana')
    await settled(page)
    await endSessionsOf(ana)
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    await expectAccessible(page)
    await screenshot(page, 'session-ended')
    const dialog = page.getByRole('dialog')
    await expectSoon(() => dialog.getByLabel('E-mail').inputValue(), ana.email)
    // Typed at once, it goes where it isn't shown.
    await page.locator('input[type=password]:focus').waitFor()
    await page.keyboard.type(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog
      .getByLabel('Code of the authenticator app')
      .fill(codeOf(secret, stepOf(console.ctx.clock.now()) + 1))
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await expectSoon(() => page.getByLabel('Name', { exact: true }).inputValue(), 'laptop of Ana')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('heading', { name: 'Copy the token now' }).waitFor()
  })

  test('of somebody who was removed leads, after a new sign-in, to a page that says so', async () => {
    const bo = await console.person('Bo Lindqvist', 'Developer')
    await bo.page.goto(`${console.origin}/settings/sessions`)
    await bo.page.getByText('this one').waitFor()
    await ingrid.api('DELETE', `/v1/members/${bo.id}`)
    await bo.page.getByRole('link', { name: 'Your tokens' }).click()
    const dialog = bo.page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await bo.page.getByRole('heading', { name: 'You belong to no organisation' }).waitFor()
    // The refusals that React has caught for the page.
    expect(pageProblems().every((problem) => problem.includes('ApiError'))).toBe(true)
  })

  test('that another account begins in another tab leaves nothing of the first on the screen', async () => {
    const cleo = await console.person('Cleo Marsh', 'Developer')
    const dana = await console.person('Dana Whitfield', 'Developer')
    await cleo.page.goto(`${console.origin}/settings/profile`)
    await cleo.page.getByText(cleo.email).waitFor()
    const tab = await cleo.page.context().newPage()
    await tab.goto(`${console.origin}/settings/profile`)
    await tab.getByRole('button', { name: /Cleo Marsh/ }).click()
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await cleo.page.waitForURL(/\/sign-in/)
    await tab.waitForURL(/\/sign-in/)
    await signInThrough(tab, dana.email)
    await tab.getByRole('navigation', { name: 'Main' }).waitFor()
    await cleo.page.goto(`${console.origin}/settings/profile`)
    await cleo.page.getByText(dana.email).waitFor()
  })
})

describe('where everybody must have a second factor', () => {
  beforeAll(async () => {
    console = await startConsole({ REQUIRE_SECOND_FACTOR: 'everyone' })
  })
  afterAll(() => console.close())

  test('who has none sets one up first, and is then led to where the way was going', async () => {
    const body = JSON.stringify({ email: 'ingrid@marlow.example', password: PASSWORD })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${console.origin}/service/auth/password/register/`, { method: 'POST', headers, body })
    const page = await console.open()
    await page.goto(`${console.origin}/settings/tokens`)
    await signInThrough(page, 'ingrid@marlow.example')
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
    // A reload finds the way again, although nothing but this is allowed.
    await page.goto(`${console.origin}/settings/tokens`)
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
    await page.getByRole('button', { name: 'Set up an app' }).click()
    const secret = await page
      .getByRole('group', { name: 'The secret, to be typed into the app' })
      .locator('code')
      .textContent()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await expectAccessible(page)
    await screenshot(page, 'second-factor')
    await page.getByLabel('Code that the app shows').fill('12')
    await page.getByRole('button', { name: 'Set up', exact: true }).click()
    await page.getByText('The code is wrong.').waitFor()
    await page
      .getByLabel('Code that the app shows')
      .fill(codeOf(secret ?? '', stepOf(console.ctx.clock.now())))
    await page.getByRole('button', { name: 'Set up', exact: true }).click()
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
    await expectCount(page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem'), 10)
    await page.getByLabel('I have a copy in a safe place').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'Your tokens' }).waitFor()
    // The refusals that React has caught for the page.
    expect(pageProblems().every((problem) => problem.includes('ApiError'))).toBe(true)
  })
})

describe('the command line', () => {
  beforeAll(async () => {
    console = await startConsole()
    ingrid = await console.founder()
  })
  afterAll(() => console.close())

  const seed = crypto.getRandomValues(new Uint8Array(32))
  const publicKey = Buffer.from(x25519PublicOf(seed)).toString('hex')
  const pathOf = (port: number, name: string) =>
    `/webauth/${Buffer.from(`${port}-${publicKey}-${name}`).toString('base64')}`
  const tokens = async () =>
    (await ingrid.api('GET', '/v1/tokens')).data as { name: string; format: string }[]

  /** Listens as the command line does: it answers the preflight, and keeps what is posted. */
  async function listen() {
    let keep: (body: Record<string, string>) => void = () => {}
    const received = new Promise<Record<string, string>>((resolve) => {
      keep = resolve
    })
    const server = createServer(async (request, response) => {
      const cors = {
        'access-control-allow-origin': console.origin,
        'access-control-allow-methods': 'GET, POST, OPTIONS',
        'access-control-allow-headers': 'X-Requested-With, Content-type',
      }
      response.writeHead(200, cors)
      if (request.method === 'POST') keep(JSON.parse(await textOf(request)))
      response.end('{}')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const stop = () => new Promise((done) => server.close(done))
    return { port: (server.address() as AddressInfo).port, received, stop }
  }

  test('gets a token, sealed for its key, after the sign-in and a click', async () => {
    const line = await listen()
    const page = await console.open()
    await page.goto(`${console.origin}${pathOf(line.port, 'ingrid@büro???')}`)
    await signInThrough(page, ingrid.email)
    await page.getByText('ingrid@büro???').waitFor()
    await expectAccessible(page)
    await screenshot(page, 'connect')
    expect(await tokens()).toEqual([])
    await page.getByRole('button', { name: 'Connect it' }).click()
    await page.getByRole('heading', { name: 'The command line is connected' }).waitFor()
    const { email = '', pss = '' } = await line.received
    const open = (text: string) => unwrapWithSecretKey(text, Buffer.from(publicKey, 'hex'), seed)
    expect(open(email)).toBe(ingrid.email)
    expect(open(pss)).toMatch(/^pss_user:v1(:[0-9a-f]{64}){4}$/)
    const [, , bearer] = open(pss).split(':')
    const me = await fetch(`${console.origin}/v1/me`, { headers: { authorization: `Bearer User ${bearer}` } })
    expect(me.status).toBe(200)
    expect(await tokens()).toMatchObject([{ name: 'ingrid@büro???', format: 'phase' }])
    await line.stop()
  })

  test('gets no token of an account that signs in in another tab once the page names one', async () => {
    const ana = await console.person('Ana Duarte', 'Developer')
    const line = await listen()
    const page = await console.open()
    await page.goto(`${console.origin}${pathOf(line.port, 'laptop of Ana')}`)
    const tab = await page.context().newPage()
    await tab.goto(`${console.origin}/sign-in`)
    await signInThrough(page, ana.email)
    await page.getByRole('button', { name: 'Connect it' }).waitFor()
    await signInThrough(tab, ingrid.email)
    await expectSoon(() => new URL(page.url()).pathname, '/')
    expect((await tokens()).map(({ name }) => name)).not.toContain('laptop of Ana')
    await line.stop()
  })

  test('that does not answer leaves no token behind', async () => {
    const line = await listen()
    await line.stop()
    const before = (await tokens()).length
    await ingrid.page.goto(`${console.origin}${pathOf(line.port, 'gone')}`)
    await ingrid.page.getByRole('button', { name: 'Connect it' }).click()
    await ingrid.page.getByText('The command line did not answer, so the token is revoked.').waitFor()
    expect(await tokens()).toHaveLength(before)
    // The browser says of its own that nothing listens.
    pageProblems()
  })

  test.each([
    ['80', 'ingrid@laptop'],
    ['65536', 'ingrid@laptop'],
    ['9000', ''],
  ])('of port %s and name %j gets nothing', async (port, name) => {
    await ingrid.page.goto(`${console.origin}${pathOf(Number(port), name)}`)
    await ingrid.page.getByRole('heading', { name: 'This address connects nothing' }).waitFor()
  })
})

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request) text += part
  return text
}
