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
import { expectSoon, settled } from '../support/page-reads.ts'

let console: ConsoleUnderTest
let ingrid: Visitor
let ledger: Ledger

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  ledger = await createLedger(console, ingrid)
})
afterAll(() => console.close())

const BEFORE = '{\n  "endpoint": "https://sandbox.example",\n  "timeout": 4000\n}'
const AFTER = '{\n  "endpoint": "https://eu.example",\n  "timeout": 4000,\n  "retry": 2\n}'

test('the history shows who changed what, word by word, and brings an older version back', async () => {
  const { page } = ingrid
  const { id } = await ledger.stored('staging', 'STRIPE_KEY')
  const put = (change: object) => ingrid.api('PUT', ledger.at('staging'), { secrets: [{ id, ...change }] })
  await put({ value: BEFORE })
  await put({ value: AFTER, tags: ['payments'] })
  await page.goto(`${ledger.address}/${id}`)
  await page.getByRole('heading', { name: 'STRIPE_KEY', level: 1 }).waitFor()
  const versions = page.getByRole('navigation', { name: 'Versions' })
  await versions.getByText('Ingrid Solberg changed the value, tags').waitFor()
  await settled(page)
  expect(await page.content()).not.toMatch(/sandbox|eu\.example/)
  await page.getByText('2 lines changed, 1 added').waitFor()
  await page.keyboard.press('v')
  await expectSoon(() => page.locator('.diff .remove mark').first().textContent(), 'sandbox')
  await expectSoon(() => page.locator('.diff .add mark').first().textContent(), 'eu')
  await expectAccessible(page)
  await screenshot(page, 'secret-history')
  await page.getByRole('button', { name: 'Restore version 2…' }).click()
  await page.getByRole('button', { name: 'Restore version 2', exact: true }).click()
  await versions.getByText('restored version 2').waitFor()
  expect(await ledger.stored('staging', 'STRIPE_KEY')).toMatchObject({ value: BEFORE, tags: [], version: 4 })
  await page.getByRole('group', { name: 'Environment' }).getByRole('button', { name: 'Production' }).click()
  await page.getByText('Production of Ledger, path /').waitFor()
  expect(pageProblems()).toEqual([])
})

test('whoever may not create secrets reads why a deleted one can’t be restored', async () => {
  const app = { Apps: ['read'], Members: ['read'] }
  const inApps = { Secrets: ['read', 'update'], Environments: ['read'] }
  await ingrid.api('POST', '/v1/roles', {
    name: 'Editor',
    permissions: { permissions: app, app_permissions: inApps },
  })
  const ana = await console.person('Ana Duarte', 'Editor')
  const [production] = ledger.environments.filter(({ name }) => name === 'Production')
  await ingrid.api('PUT', `/v1/members/${ana.id}/access`, {
    apps: [{ id: ledger.id, environments: [production?.id] }],
  })
  const { id } = await ledger.stored('production', 'DB_USER')
  const restore = () => ana.page.getByRole('button', { name: 'Restore version 1…' })
  await ingrid.api('PUT', ledger.at('production'), { secrets: [{ id, value: 'changed' }] })
  await ana.page.goto(`${ledger.address}/${id}`)
  await restore().waitFor()
  await settled(ana.page)
  await expectSoon(() => restore().getAttribute('aria-disabled'), null)
  await ingrid.api('DELETE', ledger.at('production'), { secrets: [id] })
  await ana.page.goto(`${ledger.address}/${id}?version=1`)
  await ana.page.getByText('its versions are kept for up to 90 days').waitFor()
  await expectSoon(() => restore().getAttribute('aria-disabled'), 'true')
  await expectSoon(
    () => restore().getAttribute('aria-description'),
    "You don't have permission to create secrets, and this one is deleted.",
  )
  await ingrid.page.goto(`${ledger.address}/${id}?version=1`)
  await ingrid.page.getByRole('button', { name: 'Restore version 1…' }).click()
  await ingrid.page.getByRole('button', { name: 'Restore version 1', exact: true }).click()
  await ingrid.page.getByText('restored version 1').waitFor()
  expect(pageProblems()).toEqual([])
})

test('the history of a sealed secret tells of changes, and never a value', async () => {
  const { page } = ingrid
  const { id } = await ledger.stored('staging', 'SESSION_KEY')
  await ingrid.api('PUT', ledger.at('staging'), { secrets: [{ id, value: 'sealed-second' }] })
  await page.goto(`${ledger.address}/${id}`)
  await page.getByText('changed the value').waitFor()
  await page.getByText('sealed: never shown').waitFor()
  await page.keyboard.press('v')
  await settled(page)
  expect(await page.content()).not.toMatch(/sealed-second|sealed-development/)
  expect(pageProblems()).toEqual([])
})

test('an environment comes back to what it was at a time, after showing what that changes', async () => {
  const { page } = ingrid
  const { id } = await ledger.stored('production', 'PAYOUT_LIMIT')
  console.ctx.clock.advance(60)
  const past = console.ctx.clock.now()
  console.ctx.clock.advance(60)
  await ingrid.api('PUT', ledger.at('production'), { secrets: [{ id, value: '9000' }] })
  await page.goto(ledger.address)
  await page.getByRole('button', { name: 'Production', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Restore to a time…' }).click()
  const local = await page.evaluate((time) => {
    const offset = new Date(time).getTimezoneOffset()
    return new Date(time - offset * 60_000).toISOString().slice(0, 19)
  }, past.getTime())
  await page.getByRole('textbox', { name: 'Time' }).fill(local)
  await page.getByRole('button', { name: 'Show what would change' }).click()
  await page.getByRole('region', { name: 'What changes' }).getByText('PAYOUT_LIMIT').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'secrets-restore')
  expect(await ledger.stored('production', 'PAYOUT_LIMIT')).toMatchObject({ value: '9000' })
  await page.getByRole('button', { name: 'Restore 1 secret of Production' }).click()
  await page.getByText('Production is as it was').waitFor()
  expect(await ledger.stored('production', 'PAYOUT_LIMIT')).toMatchObject({ value: '5000' })
  expect(pageProblems()).toEqual([])
})

test('your own value counts for you alone, and is taken away again', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  await cellOf(page, '/ DB_USER', 0).press('Enter')
  await page.getByLabel('Only for me').check()
  await page.getByLabel('DB_USER, Development: your own value').focus()
  await type(page, 'ingrid-local')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('Nobody else sees your own values.').waitFor()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('yours', { exact: true }).waitFor()
  expect(await ledger.stored('development', 'DB_USER')).toMatchObject({
    value: 'ledger-user',
    override: { value: 'ingrid-local', isActive: true },
  })
  await cellOf(page, '/ DB_USER', 0).press('Enter')
  await page.getByRole('button', { name: 'Remove your own value' }).click()
  await page.getByText('DB_USER has the shared value for you again').waitFor()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('yours', { exact: true }).waitFor({ state: 'detached' })
  expect((await ledger.stored('development', 'DB_USER')).override).toBeNull()
  expect(pageProblems()).toEqual([])
})
