import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { startChromium } from '../support/chromium.ts'
import {
  type ConsoleUnderTest,
  pageProblems,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { settled, watchRequests } from '../support/page-reads.ts'

const VALUE = 'plaintext-of-ledger'

let console: ConsoleUnderTest
let ingrid: Visitor
let chromium: Awaited<ReturnType<typeof startChromium>>
let ledger: string

beforeAll(async () => {
  console = await startConsole()
  chromium = await startChromium({ keepsPages: true })
  ingrid = await console.founder()
  const app = await ingrid.api('POST', '/v1/apps', { name: 'Ledger' })
  ledger = app.id
  await ingrid.api('POST', `/v1/secrets?app_id=${ledger}&env=Staging`, {
    secrets: [{ key: 'API_KEY', value: VALUE }],
  })
})
afterAll(async () => {
  await chromium.close()
  await console.close()
})
afterEach(() => expect(pageProblems()).toEqual([]))

/** The secrets of Ledger with their values shown, in a browser that keeps pages for going back. */
async function shownSecrets(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await chromium.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addCookies(await ingrid.page.context().cookies())
  return { context, page: await openSecrets(context) }
}

async function openSecrets(context: BrowserContext): Promise<Page> {
  const page = watchRequests(await context.newPage())
  // Two documents, so that the first is kept for going back to it.
  for (const search of ['?q=API', '']) {
    await page.goto(`${console.origin}/apps/${ledger}/secrets${search}`)
    await page.getByText('API_KEY').first().waitFor()
    await page.keyboard.press('v')
    await page.getByText(VALUE).first().waitFor()
  }
  return page
}

const freshSession = async () => {
  const again = await console.signIn(ingrid.email, ingrid.name)
  ingrid = again
}

test('going back after signing out shows nothing of the account, in no tab', async () => {
  await freshSession()
  const { context, page } = await shownSecrets()
  const other = await openSecrets(context)
  await page.getByRole('button', { name: 'Ingrid Solberg Owner' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  for (const tab of [page, other]) {
    await tab.waitForURL(/\/sign-in/)
    await tab.getByLabel('Password').waitFor()
    await tab.goBack({ waitUntil: 'commit' }).catch(() => null)
    await tab.getByLabel('Password').waitFor()
    await settled(tab)
    expect(await tab.content()).not.toContain(VALUE)
  }
  await context.close()
})

test('a draft of one account is gone when another signs in, and cannot be applied as that one', async () => {
  await freshSession()
  const bo = await console.person('Bo Lindqvist', 'Admin')
  const { context, page } = await shownSecrets()
  page.on('dialog', (dialog) => dialog.dismiss())
  await page.getByText(VALUE).first().dblclick()
  const cookies = await bo.page.context().cookies()
  const second = await context.newPage()
  await second.goto(`${console.origin}/settings/profile`)
  await second.getByRole('heading', { level: 1 }).waitFor()
  await context.clearCookies()
  await context.addCookies(cookies)
  await second.evaluate(
    (userId) => new BroadcastChannel('keyward-session').postMessage({ state: 'started', userId }),
    'another',
  )
  await page.waitForURL(`${console.origin}/`)
  await page.getByText('Bo Lindqvist').first().waitFor()
  await settled(page)
  expect(await page.content()).not.toContain(VALUE)
  await context.close()
})

test('a sign-out that fails says so, and that the reader is still signed in', async () => {
  await freshSession()
  const { page } = ingrid
  await page.goto(`${console.origin}/members`)
  await page.route('**/service/auth/logout/', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: '{"error":"The database does not answer."}',
    }),
  )
  await page.getByRole('button', { name: 'Ingrid Solberg Owner' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are still signed in. The database does not answer.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/members')
})
