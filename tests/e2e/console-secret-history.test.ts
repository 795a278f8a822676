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
  expect(await page.content()).not.toMatch(/sandbox|eu\.example/)
  await page.getByText('2 lines changed, 1 added').waitFor()
  await page.keyboard.press('v')
  expect(await page.locator('.diff .remove mark').first().textContent()).toBe('sandbox')
  expect(await page.locator('.diff .add mark').first().textContent()).toBe('eu')
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

test('a secret is copied and edited on its own page, and the change is said before it is applied', async () => {
  const { page } = ingrid
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.clock.install()
  const { id } = await ledger.stored('development', 'STRIPE_KEY')
  await page.goto(`${ledger.address}/${id}`)
  await page.getByRole('button', { name: 'Copy value: STRIPE_KEY of Development' }).click()
  await page.getByRole('button', { name: 'Copied: STRIPE_KEY of Development' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('rk-development')
  expect(await page.content()).not.toContain('rk-development')
  await page.clock.runFor(61_000)
  await page.waitForFunction("navigator.clipboard.readText().then((text) => text === '')")
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByLabel('STRIPE_KEY, Development: value').waitFor()
  await type(page, 'rk-edited')
  await expectAccessible(page)
  await screenshot(page, 'secret-edit', [1440, 1280, 768, 360])
  await page.getByLabel('Production too').check()
  await page.getByRole('button', { name: 'Add to the changes' }).click()
  await page.locator('button:focus', { hasText: 'Edit' }).waitFor()
  expect(await ledger.stored('development', 'STRIPE_KEY')).toMatchObject({ value: 'rk-development' })
  await page.getByRole('region', { name: 'Changes not yet applied' }).getByText('In Production,').waitFor()
  await screenshot(page, 'secret-changes', [1440, 1280, 768, 360])
  await page.getByRole('group', { name: 'Environment' }).getByRole('button', { name: 'Staging' }).click()
  await page.getByRole('dialog', { name: 'Leave without applying?' }).waitFor()
  await page.getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('navigation', { name: 'Versions' }).getByText('changed the value').waitFor()
  for (const name of ['development', 'production'])
    expect(await ledger.stored(name, 'STRIPE_KEY')).toMatchObject({ value: 'rk-edited', version: 2 })
  await page.getByRole('button', { name: 'What to do with STRIPE_KEY' }).click()
  await page.getByRole('menuitem', { name: 'Rename, move, tag, expire…' }).click()
  await page.getByLabel('Name', { exact: true }).fill('STRIPE_SECRET')
  await page.getByRole('button', { name: 'Add to the changes' }).click()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('heading', { name: 'STRIPE_SECRET', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
  expect(pageProblems()).toEqual([])
})

test('what somebody else changed meanwhile is not overwritten from the page of a secret', async () => {
  const { page } = ingrid
  const { id } = await ledger.stored('production', 'PAYOUT_LIMIT')
  await page.goto(`${ledger.address}/${id}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByLabel('PAYOUT_LIMIT, Production: value').waitFor()
  await type(page, '1')
  await page.keyboard.press('ControlOrMeta+Enter')
  await ingrid.api('PUT', ledger.at('production'), { secrets: [{ id, value: '5000', comment: 'a day' }] })
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('PAYOUT_LIMIT was changed by someone else').waitFor()
  expect(await ledger.stored('production', 'PAYOUT_LIMIT')).toMatchObject({ value: '5000', comment: 'a day' })
  await page.getByRole('button', { name: 'Discard' }).click()
  expect(pageProblems()).toEqual([])
})

test('whoever only reads secrets copies a value, edits none, and a sealed one is not copied at all', async () => {
  const permissions = { permissions: { Apps: ['read'] }, app_permissions: { Secrets: ['read'] } }
  await ingrid.api('POST', '/v1/roles', { name: 'Reader', permissions })
  const bram = await console.person('Bram de Wit', 'Reader')
  const all = ledger.environments.map(({ id }) => id)
  await ingrid.api('PUT', `/v1/members/${bram.id}/access`, { apps: [{ id: ledger.id, environments: all }] })
  const open = async (who: Visitor, key: string) => {
    await who.page.goto(`${ledger.address}/${(await ledger.stored('staging', key)).id}`)
    await who.page.getByRole('group', { name: 'Environment' }).waitFor()
  }
  await open(bram, 'DB_USER')
  await bram.page.getByRole('button', { name: /^Copy value/ }).waitFor()
  expect(await bram.page.getByRole('button', { name: /^(Edit|What to do)/ }).count()).toBe(0)
  await open(ingrid, 'SESSION_KEY')
  await ingrid.page.getByRole('button', { name: 'Edit', exact: true }).click()
  await ingrid.page.getByPlaceholder('A new value; the present one is never shown').waitFor()
  expect(await ingrid.page.getByRole('button', { name: /^Copy value/ }).count()).toBe(0)
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
  expect(await restore().getAttribute('aria-disabled')).toBeNull()
  await ingrid.api('DELETE', ledger.at('production'), { secrets: [id] })
  await ana.page.goto(`${ledger.address}/${id}?version=1`)
  await ana.page.getByText('its versions are kept for up to 90 days').waitFor()
  expect(await restore().getAttribute('aria-disabled')).toBe('true')
  expect(await restore().getAttribute('aria-description')).toBe(
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
