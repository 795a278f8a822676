import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { expectCount, expectSoon } from '../support/page-reads.ts'

type App = { id: string; name: string; environments: { id: string; name: string }[] }

let console: ConsoleUnderTest
let ingrid: Visitor
let noor: Visitor
let ana: Visitor
let kwame: Visitor
let apps: App[]

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  noor = await console.person('Noor Haddad', 'Manager')
  ana = await console.person('Ana Duarte', 'Developer')
  kwame = await console.person('Kwame Boateng', 'Developer')
  apps = []
  for (const name of [
    'Billing',
    'Ledger',
    'Storefront',
    'Data / Catalogue',
    'Data / Notebooks',
    'Data / Pipeline',
  ]) {
    apps.push(await ingrid.api('POST', '/v1/apps', { name }))
  }
  const environments = ['Development', 'Production', 'eu-west', 'ap-south']
  apps.push(await ingrid.api('POST', '/v1/apps', { name: 'Fleet gateway', environments }))
})
afterAll(() => console.close())

/** Gives somebody exactly these environments: "Billing Staging". */
const give = (to: Visitor, ...names: string[]) => {
  const wanted = apps
    .map((app) => ({
      id: app.id,
      environments: app.environments
        .filter(({ name }) => names.includes(`${app.name} ${name}`))
        .map(({ id }) => id),
    }))
    .filter(({ environments }) => environments.length > 0)
  return ingrid.api('PUT', `/v1/members/${to.id}/access`, { apps: wanted })
}

/** What somebody can open: "Billing Staging". */
const opened = async (who: Visitor): Promise<string[]> =>
  ((await ingrid.api('GET', `/v1/members/${who.id}/access`)).apps as App[]).flatMap((app) =>
    app.environments.map(({ name }) => `${app.name} ${name}`),
  )

const openAccessOf = async ({ page }: Visitor, of: Visitor): Promise<Page> => {
  await page.goto(`${console.origin}/members/${of.id}/access`)
  await page.getByRole('grid').waitFor()
  return page
}
const bar = (page: Page) => page.getByRole('region', { name: 'Changes not yet applied' })

test('an Owner opens and closes environments, reads the difference in words, and applies it as one', async () => {
  await give(ana, 'Billing Development', 'Storefront Production', 'Fleet gateway eu-west')
  const page = await openAccessOf(ingrid, ana)
  await page.getByRole('checkbox', { name: 'Billing, Staging: closed' }).click()
  await page.getByRole('checkbox', { name: 'Data / Notebooks, Development: closed' }).click()
  await page.getByRole('checkbox', { name: 'Storefront, Production: can open' }).click()
  await bar(page)
    .filter({
      hasText:
        'Ana gains Staging of Billing and Development of Data / Notebooks, and loses Production of Storefront.',
    })
    .waitFor()
  await expectAccessible(page)
  await screenshot(page, 'member-access')
  expect((await opened(ana)).length).toBe(3)
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Applied. Ana can open Staging of Billing').waitFor()
  expect(await opened(ana)).toEqual([
    'Billing Development',
    'Billing Staging',
    'Data / Notebooks Development',
    'Fleet gateway eu-west',
  ])
  await expectCount(bar(page), 0)
  await page.getByRole('checkbox', { name: 'Billing, Staging: can open' }).click()
  await page.getByRole('button', { name: 'Apply' }).click()
  // While the pointer is on a message, none goes by itself.
  await page.getByText('Applied. Ana can no longer open Staging of Billing.').hover()
  await page.getByText('Applied. Ana can open').waitFor({ state: 'detached' })
  expect(pageProblems()).toEqual([])
})

test('a column is opened for the apps that the search shows; groups collapse with their counts; Discard forgets', async () => {
  await give(ana)
  const page = await openAccessOf(ingrid, ana)
  await page.getByRole('searchbox', { name: 'Find an app' }).fill('data')
  await page.getByRole('button', { name: 'Production' }).click()
  await page.getByRole('menuitem', { name: 'Open those of the 3 apps shown' }).click()
  await page.getByRole('searchbox', { name: 'Find an app' }).fill('')
  await page.getByRole('button', { name: /^Data/ }).click()
  const group = page.getByRole('row').filter({ has: page.getByRole('button', { name: /^Data/ }) })
  await group.filter({ hasText: '3 of 3' }).waitFor()
  await page.getByRole('button', { name: 'Changed' }).click()
  await expectCount(page.getByRole('row').filter({ hasText: 'Billing' }), 0)
  await bar(page).getByRole('button', { name: 'Discard' }).click()
  await expectCount(bar(page), 0)
  expect(await opened(ana)).toEqual([])
  expect(pageProblems()).toEqual([])
})

test('the keyboard alone opens a block of cells and applies it: arrows, Shift, Space and Ctrl+Enter', async () => {
  await give(ana)
  const page = await openAccessOf(ingrid, ana)
  await page.getByRole('button', { name: 'Production' }).focus()
  await page.keyboard.press('Tab')
  const focused = () => page.locator(':focus').getAttribute('aria-label')
  await expectSoon(focused, 'Billing, Development: closed')
  await page.keyboard.press('Space')
  await expectSoon(focused, 'Billing, Development: will open after you apply')
  await page.keyboard.press('ArrowRight')
  await expectSoon(focused, 'Billing, Staging: closed')
  await page.keyboard.press('ArrowDown')
  // The gateway has no Staging: the place before it takes the focus, and further down Staging does again.
  await expectSoon(focused, 'Fleet gateway, Development: closed')
  await page.keyboard.press('ArrowDown')
  await expectSoon(focused, 'Ledger, Staging: closed')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Space')
  await bar(page)
    .filter({
      hasText:
        'Ana gains Development of Billing, Staging and Production of Ledger and Staging and Production of Storefront.',
    })
    .waitFor()
  await screenshot(page, 'member-access-block', [1440])
  await page.keyboard.press('Control+Enter')
  await page.getByText(/^Applied\./).waitFor()
  expect((await opened(ana)).length).toBe(5)
  // One tab stop: the next one is behind the matrix.
  await page.getByRole('checkbox', { name: 'Ledger, Staging: can open' }).focus()
  await page.keyboard.press('Tab')
  await expectCount(page.getByRole('grid').locator(':focus'), 0)
  expect(pageProblems()).toEqual([])
})

test('two people edit the same member: the second sees the first one’s change beside their own, and overwrites nothing', async () => {
  await give(noor, 'Billing Development', 'Billing Staging', 'Ledger Staging', 'Ledger Production')
  await give(ana, 'Billing Development')
  const hers = await openAccessOf(noor, ana)
  const page = await openAccessOf(ingrid, ana)
  await page.getByRole('checkbox', { name: 'Ledger, Production: closed' }).click()
  await page.getByRole('checkbox', { name: 'Ledger, Staging: closed' }).click()

  // Entries of the audit log are ordered by their time, which stands still in tests.
  console.ctx.clock.advance(60)
  await hers.getByRole('checkbox', { name: 'Billing, Development: can open' }).click()
  await hers.getByRole('checkbox', { name: 'Ledger, Staging: closed' }).click()
  await hers.getByRole('button', { name: 'Apply' }).click()
  await hers.getByText(/^Applied\./).waitFor()

  await page.getByRole('button', { name: 'Apply' }).click()
  const dialog = page.getByRole('dialog', { name: 'This was changed while you were editing' })
  await dialog.waitFor()
  await dialog.getByText('Noor Haddad saved other access for Ana').waitFor()
  const rows = async () => {
    const texts = await dialog.locator('tbody tr').allTextContents()
    return texts.map((text) => text.trim())
  }
  await expectSoon(rows, [
    'Billing, Developmentclosedas it was',
    'Ledger, Stagingopenedopen',
    'Ledger, Productionas it wasopen',
  ])
  await dialog.filter({ hasText: 'Ana gains Production of Ledger.' }).waitFor()
  expect(await opened(ana)).toEqual(['Ledger Staging'])
  await expectAccessible(page)
  await screenshot(page, 'member-access-conflict')
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await page.getByRole('checkbox', { name: 'Billing, Development: closed' }).waitFor()
  await bar(page).filter({ hasText: 'Ana gains Production of Ledger.' }).waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText(/^Applied\./).waitFor()
  expect(await opened(ana)).toEqual(['Ledger Staging', 'Ledger Production'])
  expect(pageProblems()).toEqual([])
})

test('what was applied is shown, also where an older answer is still on its way', async () => {
  await give(ana)
  const visitor = await console.signIn(ingrid.email, ingrid.name)
  await visitor.page.clock.install()
  const page = await openAccessOf(visitor, ana)
  const asked = Promise.withResolvers<void>()
  const applied = Promise.withResolvers<void>()
  await page.route(`**/v1/members/${ana.id}/access`, async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const response = await route.fetch()
    asked.resolve()
    await applied.promise
    // The page may have left off waiting for it.
    await route.fulfill({ response }).catch(() => null)
  })
  // Who comes back to a page after some seconds is shown what it had, while it asks again.
  await page.clock.runFor(6_000)
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
  await asked.promise
  await page.getByRole('checkbox', { name: 'Billing, Staging: closed' }).click()
  const written = page.waitForResponse((response) => response.request().method() === 'PUT')
  await page.getByRole('button', { name: 'Apply' }).click()
  await written
  applied.resolve()
  await page.getByText('Applied. Ana can open Staging of Billing').waitFor()
  await page.getByRole('checkbox', { name: 'Billing, Staging: can open' }).waitFor()
  await visitor.close()
  expect(pageProblems()).toEqual([])
})

test('an environment that was deleted meanwhile drops out of the change', async () => {
  await give(ana, 'Billing Development')
  const preview = await ingrid.api('POST', `/v1/environments?app_id=${apps[0]?.id}`, { name: 'preview' })
  const page = await openAccessOf(ingrid, ana)
  await page.getByRole('checkbox', { name: 'Billing, preview: closed' }).click()
  await page.getByRole('checkbox', { name: 'Billing, Staging: closed' }).click()
  await give(ana, 'Billing Development', 'Billing Production')
  await ingrid.api('DELETE', `/v1/environments/${preview.id}`)
  await page.getByRole('button', { name: 'Apply' }).click()
  const dialog = page.getByRole('dialog', { name: 'This was changed while you were editing' })
  await dialog.getByRole('button', { name: 'Apply mine' }).click()
  await page.getByText(/^Applied\./).waitFor()
  expect(await opened(ana)).toEqual(['Billing Development', 'Billing Staging', 'Billing Production'])
  expect(pageProblems()).toEqual([])
})

test('a Manager can’t give what they can’t open, and can close it', async () => {
  await give(noor, 'Billing Development')
  await give(ana, 'Ledger Production')
  const page = await openAccessOf(noor, ana)
  const locked = page.getByRole('checkbox', {
    name: /^Billing, Production: closed; you cannot open it yourself/,
  })
  await expectSoon(() => locked.getAttribute('aria-disabled'), 'true')
  await locked.click({ force: true })
  await expectCount(bar(page), 0)
  await screenshot(page, 'member-access-manager')
  await page.getByRole('checkbox', { name: 'Ledger, Production: can open' }).click()
  await page.getByRole('checkbox', { name: 'Billing, Development: closed' }).click()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText(/^Applied\./).waitFor()
  expect(await opened(ana)).toEqual(['Billing Development'])
  expect(pageProblems()).toEqual([])
})

test('a Developer sees the access of others, and changes nothing', async () => {
  await give(ana, 'Billing Development')
  const page = await openAccessOf(kwame, ana)
  await page.getByRole('checkbox', { name: 'Billing, Development: can open' }).click({ force: true })
  await page.getByRole('checkbox', { name: 'Billing, Staging: closed' }).click({ force: true })
  await expectCount(bar(page), 0)
  await expectCount(page.getByRole('button', { name: 'Development' }), 0)
  await expectCount(page.getByRole('combobox'), 0)
  await expectAccessible(page)
  expect(pageProblems()).toEqual([])
})

test('with global access everything is open by role, and the page says so', async () => {
  const page = await openAccessOf(noor, ingrid)
  await page.getByText('so nothing can be closed here one by one').waitFor()
  await expectCount(page.getByRole('checkbox', { name: 'Billing, Production: open by role' }), 1)
  await expectAccessible(page)
  await screenshot(page, 'member-access-by-role', [1440])
  expect(pageProblems()).toEqual([])
})

test('leaving with changes that are not applied asks first', async () => {
  await give(ana)
  const page = await openAccessOf(ingrid, ana)
  await page.getByRole('checkbox', { name: 'Billing, Staging: closed' }).click()
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Roles/ })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Leave without applying?' })
  await dialog.getByRole('button', { name: 'Stay' }).click()
  expect(new URL(page.url()).pathname).toBe(`/members/${ana.id}/access`)
  await expectCount(bar(page), 1)
  await bar(page).getByRole('button', { name: 'Discard' }).click()
  expect(pageProblems()).toEqual([])
})

test('a member’s activity is what it did', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/members/${noor.id}/activity`)
  await page.getByRole('listitem').filter({ hasText: 'Ana Duarte' }).first().waitFor()
  await expectAccessible(page)
  await screenshot(page, 'member-activity', [1440, 360])
  expect(pageProblems()).toEqual([])
})
