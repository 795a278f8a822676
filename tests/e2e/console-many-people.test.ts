import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  type ConsoleUnderTest,
  pageProblems,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { fillOrganisation } from '../support/large-organisation.ts'
import { expectSoon, settled } from '../support/page-reads.ts'

const MEMBERS = 5000
const APPS = 1000
/** More rows than fit a page several times over: what is out of sight is not drawn. */
const MOST_ROWS = 120

let console: ConsoleUnderTest
let ingrid: Visitor
let developerId: string

beforeAll(async () => {
  console = await startConsole({ RATE_LIMIT_DEFAULT: 'off' })
  ingrid = await console.founder()
  const size = { members: MEMBERS, serviceAccounts: 200, apps: APPS, roles: 10, invites: 10, entries: 10 }
  developerId = (await fillOrganisation(console.ctx, size)).developerId
}, 300_000)
afterAll(() => console.close())

const drawnRows = async (page: Page) => {
  await settled(page)
  return await page.locator('tbody tr:not(.gap)').count()
}

/** Scrolls down for a second, a few rows a frame. */
const scroll = (page: Page, element: string) =>
  page.evaluate(`new Promise((resolve) => {
    const element = ${element}
    const start = performance.now()
    const step = (now) => {
      element.scrollBy(0, 60)
      if (now - start < 1000) return requestAnimationFrame(step)
      resolve()
    }
    requestAnimationFrame(step)
  })`)

test('of 5,000 members all can be loaded, and only those in sight are drawn', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/members`)
  const more = page.getByRole('button', { name: /^Load / })
  const status = page.getByRole('search').getByRole('status')
  await more.waitFor()
  for (let shown = 100; shown < MEMBERS + 1; ) {
    await more.click()
    shown = Math.min(MEMBERS + 1, shown + 200)
    await status.filter({ hasText: `${shown} of ${MEMBERS + 1}` }).waitFor()
  }
  expect(await drawnRows(page)).toBeLessThan(MOST_ROWS)
  await scroll(page, 'document.scrollingElement')
  expect(await drawnRows(page)).toBeLessThan(MOST_ROWS)
  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
  await page.locator(`tr[aria-rowindex="${MEMBERS + 2}"]`).waitFor()
  expect(pageProblems()).toEqual([])
}, 240_000)

test('the access to 1,000 apps is edited with only the rows in sight drawn, also far down with the keyboard', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/members/${developerId}/access`)
  const grid = page.getByRole('grid')
  await grid.waitFor()
  await expectSoon(() => grid.getAttribute('aria-rowcount'), String(APPS + 1))
  expect(await drawnRows(page)).toBeLessThan(MOST_ROWS)
  await scroll(page, "document.querySelector('.matrix-frame')")

  const last = grid.locator(`tr[aria-rowindex="${APPS + 1}"]`)
  await page.evaluate("document.querySelector('.matrix-frame').scrollTo(0, 1e6)")
  await last.waitFor()
  await last.getByRole('checkbox').first().click()
  await page.getByRole('region', { name: 'Changes not yet applied' }).waitFor()
  await page.keyboard.press('ArrowUp')
  await grid.locator(`tr[aria-rowindex="${APPS}"] :focus`).waitFor()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Changed' }).filter({ hasText: '2' }).waitFor()
  for (let part = 0; part < 3; part++) {
    await page.keyboard.press('Shift+PageUp')
    await grid.locator(':focus').waitFor()
  }
  await page.keyboard.press('Space')
  await page.getByText(/ further apps/).waitFor()
  expect(await drawnRows(page)).toBeLessThan(MOST_ROWS)
  await page.getByRole('button', { name: 'Discard' }).click()
  expect(pageProblems()).toEqual([])
}, 120_000)

test('the overview of 5,000 people shows the first apps, and reads more when asked', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/access`)
  const table = page.getByRole('table', { name: /People and machines/ })
  await table.waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: `8 of ${APPS} apps` })
    .waitFor()
  expect(await drawnRows(page)).toBeLessThan(MOST_ROWS)
  await scroll(page, "document.querySelector('.matrix-frame')")
  await page.getByRole('button', { name: `Show 8 of ${APPS - 8} more apps` }).click()
  await page
    .getByRole('status')
    .filter({ hasText: `16 of ${APPS} apps` })
    .waitFor()
  expect(pageProblems()).toEqual([])
}, 120_000)
