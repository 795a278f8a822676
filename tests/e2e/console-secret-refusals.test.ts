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

test('a Developer sees the one environment that was opened for them, and nothing of the others', async () => {
  const ana = await console.person('Ana Duarte', 'Developer')
  const staging = ledger.environments.find(({ name }) => name === 'Staging')?.id
  await ingrid.api('PUT', `/v1/members/${ana.id}/access`, {
    apps: [{ id: ledger.id, environments: [staging] }],
  })
  await ana.page.goto(ledger.address)
  await cellOf(ana.page, '/ STRIPE_KEY', 0).waitFor()
  await expectCount(ana.page.locator('.sec thead th'), 2)
  await ana.page.keyboard.press('v')
  await ana.page.getByText('rk-staging').waitFor()
  await settled(ana.page)
  expect(await ana.page.content()).not.toMatch(/rk-development|Production/)
  await expectAccessible(ana.page)
  await screenshot(ana.page, 'secrets-developer')
  await cellOf(ana.page, '/ STRIPE_KEY', 0).press('Enter')
  await type(ana.page, 'rk-by-ana')
  await ana.page.keyboard.press('ControlOrMeta+Enter')
  await ana.page.getByRole('region', { name: 'Changes not yet applied' }).waitFor()
  await ana.page.keyboard.press('ControlOrMeta+Enter')
  await ana.page.getByText('1 change was applied.').waitFor()
  expect((await ledger.stored('staging', 'STRIPE_KEY')).value).toBe('rk-by-ana')
  expect(pageProblems()).toEqual([])
  await ana.close()
})

test('a refusal in the middle is said where it happened; the rest is applied, and what was typed is kept', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  await cellOf(page, '/ STRIPE_KEY', 0).waitFor()
  await page.getByRole('button', { name: 'New secret' }).click()
  await type(page, 'QUEUE_URL')
  await page.getByLabel('Value in Development').fill('amqp://mine')
  await page.getByLabel('Value in Production').fill('amqp://production')
  await page.getByRole('button', { name: 'Add to the changes' }).click()
  await ingrid.api('POST', ledger.at('development'), {
    secrets: [{ key: 'QUEUE_URL', value: 'amqp://theirs' }],
  })
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Development: A secret with this key already exists at /.').waitFor()
  await page.getByText('1 other change was applied; the rest is kept below.').waitFor()
  await screenshot(page, 'secrets-refused')
  expect((await ledger.stored('production', 'QUEUE_URL')).value).toBe('amqp://production')
  expect((await ledger.stored('development', 'QUEUE_URL')).value).toBe('amqp://theirs')
  await cellOf(page, '/ QUEUE_URL', 0).press('Enter')
  await expectSoon(() => page.getByLabel('QUEUE_URL, Development: value').inputValue(), 'amqp://mine')
  await page.keyboard.press('Escape')
  await page.getByText('In Development, QUEUE_URL gets a new value.').waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('1 change was applied.').waitFor()
  expect((await ledger.stored('development', 'QUEUE_URL')).value).toBe('amqp://mine')
  expect(pageProblems()).toEqual([])
})

test('what somebody else changed meanwhile is not overwritten until the reader has seen it', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  await cellOf(page, '/ PAYOUT_LIMIT', 2).press('Enter')
  await type(page, '7000')
  await page.keyboard.press('ControlOrMeta+Enter')
  const { id } = await ledger.stored('production', 'PAYOUT_LIMIT')
  await ingrid.api('PUT', ledger.at('production'), { secrets: [{ id, value: '6000' }] })
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Production: PAYOUT_LIMIT was changed by someone else').waitFor()
  expect((await ledger.stored('production', 'PAYOUT_LIMIT')).value).toBe('6000')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('1 change was applied.').waitFor()
  expect((await ledger.stored('production', 'PAYOUT_LIMIT')).value).toBe('7000')
  expect(pageProblems()).toEqual([])
})

test('access that ends while somebody types refuses the change, and keeps what was typed', async () => {
  const bo = await console.person('Bo Lind', 'Developer')
  const [development] = ledger.environments
  const give = (apps: object[]) => ingrid.api('PUT', `/v1/members/${bo.id}/access`, { apps })
  await give([{ id: ledger.id, environments: [development?.id] }])
  await bo.page.goto(ledger.address)
  await cellOf(bo.page, '/ STRIPE_KEY', 0).press('Enter')
  await type(bo.page, 'rk-by-bo')
  await bo.page.keyboard.press('ControlOrMeta+Enter')
  await give([])
  await bo.page.getByRole('button', { name: 'Apply' }).click()
  await bo.page.getByText('Nothing was applied, and what you typed is kept.').waitFor()
  expect((await ledger.stored('development', 'STRIPE_KEY')).value).toBe('rk-development')
  await bo.close()
})

test('leaving with changes asks first', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  await cellOf(page, '/ STRIPE_KEY', 0).press('Enter')
  await type(page, 'rk-typed')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('link', { name: 'Environments' }).click()
  await page.getByRole('heading', { name: 'Leave without applying?' }).waitFor()
  await page.getByRole('button', { name: 'Stay' }).click()
  await page.getByText('In Development, STRIPE_KEY gets a new value.').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  expect(pageProblems()).toEqual([])
})

test('where the server may not open secrets, the browser does, and the server gets ciphertext only', async () => {
  const { page } = ingrid
  const vault = await createLedger(console, ingrid, 'Vault')
  await ingrid.api('PUT', `/v1/apps/${vault.id}`, { sse_enabled: false })
  const bodies: string[] = []
  page.on('request', (request) => bodies.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.goto(vault.address)
  await cellOf(page, '/ STRIPE_KEY', 2).press('Enter')
  await type(page, 'rk-sealed-here')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('region', { name: 'Changes not yet applied' }).waitFor()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('1 change was applied.').waitFor()
  await screenshot(page, 'secrets-sealed')
  await page.getByRole('button', { name: 'Paste .env' }).click()
  await page.getByRole('textbox', { name: 'Text' }).fill('TWICE=1\nTWICE=2')
  await page.getByRole('button', { name: 'Show what changes' }).click()
  await page.getByText('The key in line 2 is that of line 1.').waitFor()
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference is written like that
  await page.getByRole('textbox', { name: 'Text' }).fill('HOST_OF_DB=${production./db/HOST}')
  await page.getByRole('button', { name: 'Show what changes' }).click()
  await page.getByRole('button', { name: /^Import into/ }).click()
  await page.getByText('1 added to Development, 0 changed.').waitFor()
  await page.goto(`${vault.address}?path=/`)
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the file in clear' }).click(),
  ])
  expect(await Bun.file(await download.path()).text()).toMatch(/^HOST_OF_DB=db\./m)
  expect(bodies.join('\n')).not.toMatch(/rk-sealed-here|STRIPE_KEY|HOST_OF_DB/)
  await ingrid.api('PUT', `/v1/apps/${vault.id}`, { sse_enabled: true })
  expect((await vault.stored('production', 'STRIPE_KEY')).value).toBe('rk-sealed-here')
  expect(pageProblems()).toEqual([])
})
