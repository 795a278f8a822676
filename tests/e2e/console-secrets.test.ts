// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written so
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { cellOf, createLedger, type Ledger, type } from '../support/console-ledger.ts'
import { expectCount, expectSoon, settled } from '../support/page-reads.ts'

let console: ConsoleUnderTest
let ingrid: Visitor
let ledger: Ledger

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  ledger = await createLedger(console, ingrid)
})
afterAll(() => console.close())

const VALUES = ['rk-development', 'rk-staging', 'db.internal', 'sealed-development', 'ledger-user', '5000']

test('a value is edited in its cell and applied, and is in no document before it is asked for', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  const cell = cellOf(page, '/ STRIPE_KEY', 2)
  await cell.waitFor()
  await expectAccessible(page)
  await screenshot(page, 'secrets')
  const html = await page.content()
  for (const value of VALUES) expect(html).not.toContain(value)
  await cell.press('Enter')
  await type(page, 'rk-production')
  await expectAccessible(page)
  await screenshot(page, 'secrets-edit')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('In Production, STRIPE_KEY gets a new value.').waitFor()
  await page.getByText('1 person can open it. Version 1 stays in the history.').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'secrets-changed')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('1 change was applied.').waitFor()
  expect((await ledger.stored('production', 'STRIPE_KEY')).value).toBe('rk-production')
  expect(pageProblems()).toEqual([])
})

test('one cell is shown by a click, with its references; leaving the page takes all values away', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  await cellOf(page, '/ DATABASE_URL', 0).click()
  const value = cellOf(page, '/ DATABASE_URL', 0)
  await value.getByRole('link', { name: '${DB_USER}' }).waitFor()
  await value.locator('.broken').filter({ hasText: 'Development has no NOTHING at /.' }).waitFor()
  const shown = await page.content()
  for (const value of VALUES) expect(shown).not.toContain(value)
  await page.keyboard.press('v')
  await page.getByText('rk-development').waitFor()
  await settled(page)
  expect(await page.content()).not.toContain('sealed-development')
  await expectAccessible(page)
  await screenshot(page, 'secrets-shown')
  await page.getByRole('link', { name: 'Environments' }).click()
  await page.waitForURL(/environments$/)
  await page.getByText('rk-development').waitFor({ state: 'detached' })
  await settled(page)
  const left = await page.evaluate<string[]>(`[
    document.documentElement.outerHTML,
    document.title,
    location.href,
    JSON.stringify({ ...localStorage, ...sessionStorage }),
  ]`)
  for (const value of VALUES) expect(left.join()).not.toContain(value)
  expect(pageProblems()).toEqual([])
})

test('what is missing and what differs is chosen by a segment, and a missing one is added', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  const names = () => page.locator('.sec tbody th .name').allTextContents()
  await page.getByRole('button', { name: 'Different 2' }).click()
  await expectSoon(names, ['LOG_LEVEL', 'STRIPE_KEY'])
  await page.getByRole('button', { name: 'Missing 2' }).click()
  await expectSoon(names, ['DATABASE_URL', 'SESSION_KEY'])
  await page.waitForURL(/show=missing/)
  await page.reload()
  await cellOf(page, '/ DATABASE_URL', 1).click()
  await type(page, 'postgres://staging')
  await page.getByLabel('Production too').check()
  await page.getByRole('button', { name: 'Add to the changes' }).click()
  await page.getByText('In Staging, DATABASE_URL is added.').waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('2 changes were applied.').waitFor()
  expect(await ledger.stored('production', 'DATABASE_URL')).toMatchObject({
    value: 'postgres://staging',
    tags: ['db'],
  })
  await expectSoon(names, ['SESSION_KEY'])
  expect(pageProblems()).toEqual([])
})

test('sealed values are never shown, nor whether they are equal', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  await cellOf(page, '/ SESSION_KEY', 0).waitFor()
  await page.keyboard.press('v')
  await page.getByText('rk-development').waitFor()
  for (const column of [0, 1])
    await expectSoon(() => cellOf(page, '/ SESSION_KEY', column).textContent(), 'sealed')
  await cellOf(page, '/ SESSION_KEY', 0).click()
  await expectSoon(() => page.getByLabel('SESSION_KEY, Development: value').inputValue(), '')
  await page.keyboard.press('Escape')
  await expectCount(page.locator('.changes'), 0)
  expect(pageProblems()).toEqual([])
})

test('a new secret, with a reference that completes as one types, by the keyboard alone', async () => {
  const { page } = ingrid
  await page.goto(`${ledger.address}?path=/db`)
  await cellOf(page, '/db HOST', 0).waitFor()
  await page.keyboard.press('n')
  await type(page, 'REPLICA')
  await page.getByLabel('Value in Staging').focus()
  await page.keyboard.type('tcp://${ho')
  await page.getByRole('option', { name: '/db/HOST', exact: true }).waitFor()
  await screenshot(page, 'secrets-new')
  await page.keyboard.press('Enter')
  await page.keyboard.type(':5432')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('In Staging, REPLICA is added.').waitFor()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('1 change was applied.').waitFor()
  expect(await ledger.stored('staging', 'REPLICA')).toMatchObject({
    path: '/db',
    value: 'tcp://${/db/HOST}:5432',
  })
  expect(pageProblems()).toEqual([])
})

test('arrows go from cell to cell, and the grid is one stop of the Tab key', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  await cellOf(page, '/ DATABASE_URL', 0).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  const focusIsOn = (name: string) => page.locator(`[data-cell$=" / ${name}"]:focus`).waitFor()
  await focusIsOn('DB_USER')
  await expectCount(page.locator('.sec [data-row][tabindex="0"]'), 1)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await focusIsOn('DB_USER')
  expect(pageProblems()).toEqual([])
})

test('a secret is renamed and moved in all environments, and deleted in one', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  await cellOf(page, '/ PAYOUT_LIMIT', 0).hover()
  await page.getByRole('button', { name: 'What to do with PAYOUT_LIMIT' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await type(page, 'LIMIT')
  await page.getByLabel('Path', { exact: true }).fill('payouts')
  await screenshot(page, 'secrets-details')
  await page.getByRole('button', { name: 'Add to the changes' }).click()
  await cellOf(page, '/ DB_USER', 2).press('Enter')
  await page.getByRole('button', { name: 'Delete here' }).click()
  await page.getByText('DB_USER is deleted').waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('4 changes were applied.').waitFor()
  expect(await ledger.stored('staging', 'LIMIT')).toMatchObject({
    path: '/payouts',
    value: '5000',
    version: 2,
  })
  expect(await ledger.stored('production', 'DB_USER')).toBeUndefined()
  expect(pageProblems()).toEqual([])
})

test('an environment without secrets is not read, so the audit log tells of no read', async () => {
  const { page, api } = ingrid
  const { id } = await api('POST', '/v1/apps', { name: 'Billing' })
  const readsOf = async (appId: string) =>
    (await api('GET', `/v1/logs/audit?app_id=${appId}&event_type=secret.read`)).data
  await page.goto(`${console.origin}/apps/${id}/secrets`)
  await page.getByRole('heading', { name: /has no secrets yet/ }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'secrets-none')
  await api('POST', `/v1/secrets/?app_id=${id}&env=Staging`, { secrets: [{ key: 'PORT', value: '1' }] })
  await page.reload()
  await cellOf(page, '/ PORT', 1).waitFor()
  await settled(page)
  const staging = (await api('GET', `/v1/environments?app_id=${id}`)).data[1].id
  expect((await readsOf(id)).map(({ resourceId }: { resourceId: string }) => resourceId)).toEqual([staging])
  expect(pageProblems()).toEqual([])
})
