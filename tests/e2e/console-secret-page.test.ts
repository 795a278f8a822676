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
import { eventually } from '../support/eventually.ts'
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

test('a secret is copied and edited on its own page, and the change is said before it is applied', async () => {
  const { page } = ingrid
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.clock.install()
  const { id } = await ledger.stored('development', 'STRIPE_KEY')
  await page.goto(`${ledger.address}/${id}`)
  await page.getByRole('button', { name: 'Copy value: STRIPE_KEY of Development' }).click()
  await page.getByRole('button', { name: 'Copied: STRIPE_KEY of Development' }).waitFor()
  await expectSoon(() => page.evaluate('navigator.clipboard.readText()'), 'rk-development')
  await settled(page)
  expect(await page.content()).not.toContain('rk-development')
  await page.clock.runFor(61_000)
  await eventually('the clipboard is empty', async () => {
    return (await page.evaluate('navigator.clipboard.readText()')) === ''
  })
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

test('a change after another one stands upon what that one stored, however long reading it takes', async () => {
  const { page } = ingrid
  const { id } = await ledger.stored('staging', 'PAYOUT_LIMIT')
  const edit = async (value: string) => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await type(page, value)
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByRole('region', { name: 'Changes not yet applied' }).waitFor()
  }
  await page.goto(`${ledger.address}/${id}`)
  await edit('6000')
  const typed = Promise.withResolvers<void>()
  let isWritten = false
  const LISTS = /\/v1\/secrets\?/
  await page.route(LISTS, async (route) => {
    if (route.request().method() === 'PUT') isWritten = true
    else if (isWritten) await typed.promise
    await route.continue()
  })
  const written = page.waitForResponse((response) => response.request().method() === 'PUT')
  await page.getByRole('button', { name: 'Apply' }).click()
  await written
  await edit('7000')
  typed.resolve()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('region', { name: 'Changes not yet applied' }).waitFor({ state: 'detached' })
  expect(await ledger.stored('staging', 'PAYOUT_LIMIT')).toMatchObject({ value: '7000', version: 3 })
  await page.unroute(LISTS)
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
  await expectCount(bram.page.getByRole('button', { name: /^(Edit|What to do)/ }), 0)
  await open(ingrid, 'SESSION_KEY')
  await ingrid.page.getByRole('button', { name: 'Edit', exact: true }).click()
  await ingrid.page.getByPlaceholder('A new value; the present one is never shown').waitFor()
  await expectCount(ingrid.page.getByRole('button', { name: /^Copy value/ }), 0)
  expect(pageProblems()).toEqual([])
})

test('what is typed on the page of a secret, or in the grid, outlives a moment without the server', async () => {
  const { page } = ingrid
  const { id } = await ledger.stored('production', 'PAYOUT_LIMIT')
  for (const open of [
    async () => {
      await page.goto(`${ledger.address}/${id}`)
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
    },
    async () => {
      await page.goto(ledger.address)
      await cellOf(page, '/ PAYOUT_LIMIT', 2).press('Enter')
    },
  ]) {
    await open()
    const editor = page.getByLabel('PAYOUT_LIMIT, Production: value')
    await editor.fill('70')
    await page.clock.runFor(40_000)
    let failed = 0
    await page.route('**/v1/**', (route) => {
      if (route.request().url().endsWith(`/v1/apps/${ledger.id}`)) failed++
      return route.abort()
    })
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    // As often as the console asks before it takes this for a failure.
    await eventually('three requests that failed', async () => {
      await page.clock.runFor(1_000)
      return failed >= 3
    })
    await settled(page)
    expect(await editor.inputValue()).toBe('70')
    await page.unroute('**/v1/**')
    await page.keyboard.press('Escape')
  }
  expect(pageProblems()).toEqual([])
})
