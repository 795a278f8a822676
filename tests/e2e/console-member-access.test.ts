import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'

let console: ConsoleUnderTest
let ingrid: Visitor
let ana: Visitor

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  ana = await console.person('Ana Duarte', 'Developer')
  for (const name of [
    'Billing',
    'Ledger',
    'Storefront',
    'Data / Catalogue',
    'Data / Notebooks',
    'Data / Pipeline',
  ]) {
    await ingrid.api('POST', '/v1/apps', { name })
  }
  await ingrid.api('POST', '/v1/apps', {
    name: 'Fleet gateway',
    environments: ['Development', 'Production', 'eu-west', 'ap-south'],
  })
})
afterAll(() => console.close())

test('an Owner opens environments to a member, reads the difference in words, and applies it', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/members/${ana.id}/access`)
  await page.getByRole('checkbox', { name: 'Billing, Staging: closed' }).click()
  await page.getByRole('checkbox', { name: 'Data / Notebooks, Development: closed' }).click()
  const bar = page.getByRole('region', { name: 'Changes not yet applied' })
  expect(await bar.textContent()).toContain(
    'Ana gains Staging of Billing and Development of Data / Notebooks.',
  )
  await expectAccessible(page)
  await screenshot(page, 'member-access')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Applied. Ana can open Staging of Billing').waitFor()
  const { apps } = await ingrid.api('GET', `/v1/members/${ana.id}/access`)
  expect(apps.map((app: { name: string }) => app.name)).toEqual(['Billing', 'Data / Notebooks'])
  expect(pageProblems()).toEqual([])
})
