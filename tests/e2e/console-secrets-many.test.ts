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
import { cellOf, createLedger, type Ledger } from '../support/console-ledger.ts'
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

test('three environments fit beside each other at 1280 px; of more, the names stay while the rest scrolls', async () => {
  const { page } = ingrid
  const overflow = () => page.locator('.sec-frame').evaluate((frame) => frame.scrollWidth - frame.clientWidth)
  await page.goto(ledger.address)
  await cellOf(page, '/ STRIPE_KEY', 0).waitFor()
  await screenshot(page, 'secrets-three', [1440, 1280, 768, 360])
  for (const width of [1920, 1440, 1280, 1265]) {
    await page.setViewportSize({ width, height: 900 })
    await expectSoon(async () => ({ width, overflow: await overflow() }), { width, overflow: 0 })
  }
  const environments = ['Development', 'Staging', 'Production', 'Preview', 'Load', 'Canary']
  const wide = await ingrid.api('POST', '/v1/apps', { name: 'Wide', environments })
  const secrets = [{ key: 'HOST', value: 'db.internal' }]
  await ingrid.api('POST', `/v1/secrets?app_id=${wide.id}&env=Development`, { secrets })
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(`${console.origin}/apps/${wide.id}/secrets`)
  await cellOf(page, '/ HOST', 0).waitFor()
  await settled(page)
  expect(await overflow()).toBeGreaterThan(0)
  await screenshot(page, 'secrets-six', [1440, 1280, 768, 360])
  await page.setViewportSize({ width: 1280, height: 900 })
  await settled(page)
  const name = page.getByRole('rowheader', { name: /HOST/ })
  const before = await name.boundingBox()
  await page.locator('.sec-frame').evaluate((frame) => frame.scrollTo(10_000, 0))
  await expectSoon(() => page.locator('.sec-frame').evaluate((frame) => frame.scrollLeft > 0), true)
  await expectSoon(() => name.boundingBox(), before)
  await page.setViewportSize({ width: 1440, height: 900 })
  expect(pageProblems()).toEqual([])
})

test('a pasted .env shows what it adds and changes, and is imported as a whole', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  await cellOf(page, '/ STRIPE_KEY', 0).waitFor()
  await page.getByRole('button', { name: 'Paste .env' }).click()
  const text = page.getByRole('textbox', { name: 'Text' })
  await text.fill('STRIPE_KEY rk\nA=1\n=2')
  await page.getByRole('button', { name: 'Show what changes' }).click()
  await page.getByText('Line 1 is not KEY=value. Line 3 has no key before its "=".').waitFor()
  await text.fill(
    '# production\nexport STRIPE_KEY="rk-pasted"\nPAYOUT_LIMIT=5000\nSENTRY_DSN=\'https://sentry\'\n',
  )
  await page.getByRole('combobox', { name: 'Environment' }).click()
  await page.getByRole('option', { name: 'Production' }).click()
  await page.getByRole('button', { name: 'Show what changes' }).click()
  await page.getByText('1 added, 1 changed, 1 the same.').waitFor()
  const difference = page.getByRole('region', { name: 'What changes' })
  await settled(page)
  expect(await difference.textContent()).not.toContain('rk-')
  await difference.getByRole('button', { name: 'Show values' }).click()
  await difference.getByText('rk-pasted').waitFor()
  await expectSoon(() => difference.locator('del').textContent(), 'rk-staging')
  await expectAccessible(page)
  await screenshot(page, 'secrets-paste')
  await page.getByRole('button', { name: 'Import into Production' }).click()
  await page.getByText('1 added to Production, 1 changed.').waitFor()
  expect((await ledger.stored('production', 'STRIPE_KEY')).value).toBe('rk-pasted')
  expect((await ledger.stored('production', 'SENTRY_DSN')).value).toBe('https://sentry')
  expect(pageProblems()).toEqual([])
})

test('an export says that it is in clear before it is saved', async () => {
  const { page } = ingrid
  await page.goto(`${ledger.address}?path=/db`)
  await cellOf(page, '/db HOST', 0).waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByText('The file holds every value in clear').waitFor()
  await screenshot(page, 'secrets-export')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the file in clear' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Ledger-Development.env')
  expect(await Bun.file(await download.path()).text()).toBe('HOST=db.internal\n')
  expect(pageProblems()).toEqual([])
})

test('the keys of an environment are renewed after saying what that does; its secrets stay', async () => {
  const { page } = ingrid
  await page.goto(ledger.address)
  await page.getByRole('button', { name: 'Staging', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Renew the keys…' }).click()
  await page.getByText('Nobody loses access, no value changes').waitFor()
  await page.getByRole('button', { name: 'Renew the keys', exact: true }).click()
  await page.getByText('Staging has new keys.').waitFor()
  expect((await ledger.stored('staging', 'STRIPE_KEY')).value).toBe('rk-staging')
  expect(pageProblems()).toEqual([])
})

test('two thousand secrets are in the grid, and only those in sight in the document', async () => {
  const { page } = ingrid
  const { id } = await ingrid.api('POST', '/v1/apps', { name: 'Large', environments: ['one', 'two'] })
  const secrets = Array.from({ length: 2000 }, (_, at) => ({
    key: `KEY_${String(at).padStart(4, '0')}`,
    value: `v${at}`,
  }))
  for (const environment of ['one', 'two']) {
    await ingrid.api('POST', `/v1/secrets?app_id=${id}&env=${environment}`, { secrets })
  }
  await page.goto(`${console.origin}/apps/${id}/secrets`)
  await cellOf(page, '/ KEY_0000', 0).waitFor()
  await settled(page)
  expect(await page.locator('.sec tbody tr').count()).toBeLessThan(80)
  const perFrame = await workPerFrame(page)
  process.stdout.write(`Work for a frame while scrolling: ${perFrame.toFixed(1)} ms of processor time\n`)
  expect(perFrame).toBeLessThan(25)
  await page.evaluate("document.querySelector('.scroll-x').scrollTo(0, 1e9)")
  await cellOf(page, '/ KEY_1999', 0).waitFor()
  await cellOf(page, '/ KEY_1999', 0).focus()
  await page.keyboard.press('PageUp')
  await page.keyboard.press('ArrowUp')
  await page.locator('[data-cell$=" / KEY_1988"]:focus').waitFor()
  await screenshot(page, 'secrets-large')
  expect(pageProblems()).toEqual([])
})

const FRAMES = 100

/**
 * How long the page's thread works for a frame while the grid scrolls by three rows a frame, in milliseconds of processor
 * time. At 60 frames a second there are 16; a machine that does much else takes longer for the same work.
 */
async function workPerFrame(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const work = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
  const before = await work()
  await page.evaluate(`(async () => {
    for (let frame = 0; frame < ${FRAMES}; frame++) {
      document.querySelector('.scroll-x').scrollBy(0, 111)
      await new Promise(requestAnimationFrame)
    }
  })()`)
  return ((await work()) - before) / FRAMES
}
