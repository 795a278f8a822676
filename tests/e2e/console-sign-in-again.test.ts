import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type ConsoleUnderTest, pageProblems, startConsole } from '../support/console-browser.ts'
import { callOf, plugIn } from '../support/console-sign-in.ts'
import { expectSoon } from '../support/page-reads.ts'
import { PASSWORD } from '../support/sign-in.ts'

const ANA = 'ana@marlow.example'
const BO = 'bo@marlow.example'

let console: ConsoleUnderTest
let page: Page
/** How often the page has asked for the secret of a new authenticator app. */
let attempts: number

beforeEach(() => {
  attempts = 0
})
afterEach(async () => {
  await console.close()
  expect(pageProblems()).toEqual([])
})

/** Opens a page of a console in which Ana and Bo have accounts. */
async function start(environment: Record<string, string> = {}): Promise<void> {
  console = await startConsole(environment)
  page = await console.open()
  page.on('request', (request) => {
    if (/\/service\/auth\/totp\/?$/.test(request.url())) attempts++
  })
  await page.goto(`${console.origin}/verify-email`)
  for (const email of [ANA, BO]) {
    await callOf(page, 'password/register/', { email, password: PASSWORD, full_name: email })
  }
}

const signIn = (email: string) => callOf(page, 'password/login/', { email, password: PASSWORD })

/** Has Ana begin to set up an authenticator app on a page, with a sign-in that is too old for it. */
async function beginAsAna(path: string) {
  await signIn(ANA)
  await page.goto(`${console.origin}${path}`)
  await page.getByRole('button', { name: 'Set up an app' }).waitFor()
  console.ctx.clock.advance(601)
  await page.getByRole('button', { name: 'Set up an app' }).click()
  return page.getByRole('dialog', { name: 'Sign in again' })
}

test.each(['/settings/sign-in', '/sign-in/second-factor'])(
  'what was begun on %s is not done as another account whose passkey signs in again',
  async (path) => {
    await start()
    await plugIn(page)
    await signIn(BO)
    await page.goto(`${console.origin}/sign-in/second-factor`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Add passkey', exact: true }).click()
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
    const dialog = await beginAsAna(path)
    await expectSoon(() => dialog.getByLabel('E-mail').inputValue(), ANA)
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText(`You are signed in as ${BO}.`).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    expect(attempts).toBe(1)
  },
)

test('who signs in again begins again where nobody knows whose the page is', async () => {
  await start({ REQUIRE_SECOND_FACTOR: 'everyone' })
  const dialog = await beginAsAna('/sign-in/second-factor')
  await dialog.getByLabel('E-mail').fill(BO)
  await dialog.getByLabel('Password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText(`You are signed in as ${BO} now. Begin again.`).waitFor()
  expect(attempts).toBe(1)
  await page.getByRole('button', { name: 'Set up an app' }).click()
  await page.getByLabel('Code that the app shows').waitFor()
  expect(attempts).toBe(2)
})
