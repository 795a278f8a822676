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
import { cellOf, createLedger, type Ledger } from '../support/console-ledger.ts'
import { settled } from '../support/page-reads.ts'

let console: ConsoleUnderTest
let ingrid: Visitor
let ledger: Ledger

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  ledger = await createLedger(console, ingrid)
})
afterAll(() => console.close())

test('references to another app ask for all apps once, and read a secret of it when they are clicked', async () => {
  const { page, api } = ingrid
  const { id } = await api('POST', '/v1/apps', { name: 'Shop' })
  const found = '${Ledger::staging.STRIPE_KEY}'
  const missing = '${Ledger::Staging.GONE}'
  const value = `${found} ${missing} \${Ledger::Nowhere.KEY} \${Nothing::Staging.KEY}`
  await api('POST', `/v1/secrets?app_id=${id}&env=development`, {
    secrets: [{ key: 'LINKS', value, type: 'config' }],
  })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url().slice(console.origin.length)))
  await page.goto(`${console.origin}/apps/${id}/secrets`)
  const cell = cellOf(page, '/ LINKS', 0)
  const broken = (why: string) => cell.locator('.broken').filter({ hasText: why }).waitFor()
  await broken('You can open no environment Nowhere of Ledger.')
  await broken('There is no app Nothing that you can open.')
  await expectAccessible(page)
  await screenshot(page, 'secrets-references')
  expect(asked.filter((path) => /^\/v1\/apps\/?\??$/.test(path))).toHaveLength(1)
  expect(asked.filter((path) => path.includes(`app_id=${ledger.id}`))).toEqual([])
  await cell.getByRole('button', { name: missing }).click()
  await broken('Staging of Ledger has no GONE at /.')
  await settled(page)
  await cell.getByRole('button', { name: found }).click()
  await page.waitForURL(`${ledger.address}/*`)
  await page.getByRole('heading', { name: 'STRIPE_KEY' }).waitFor()
  expect(pageProblems()).toEqual([])
})
