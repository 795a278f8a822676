import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
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
let ana: Visitor
let billing: App

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  await console.person('Tomás Ferreira', 'Admin')
  ana = await console.person('Ana Duarte', 'Developer')
  await console.person('Leila Farouk', 'Developer')
  billing = await ingrid.api('POST', '/v1/apps', { name: 'Billing' })
  for (const name of [
    'Fleet gateway',
    'Identity',
    'Ledger',
    'Notifications',
    'Status page',
    'Storefront',
    'Warehouse',
    'Zeppelin',
  ]) {
    await ingrid.api('POST', '/v1/apps', { name })
  }
  const roles = (await ingrid.api('GET', '/v1/roles')).data as { id: string; name: string }[]
  const account = await ingrid.api('POST', '/v1/service-accounts', {
    name: '=deployer',
    role_id: roles.find(({ name }) => name === 'Service')?.id,
  })
  const environments = billing.environments.slice(0, 2).map(({ id }) => id)
  await ingrid.api('PUT', `/v1/members/${ana.id}/access`, { apps: [{ id: billing.id, environments }] })
  const production = billing.environments.filter(({ name }) => name === 'Production').map(({ id }) => id)
  await ingrid.api('PUT', `/v1/service-accounts/${account.id}/access`, {
    apps: [{ id: billing.id, environments: production }],
  })
})
afterAll(() => console.close())

const table = () => ingrid.page.getByRole('table', { name: /People and machines/ })
const rowOf = (name: string) => table().getByRole('row').filter({ hasText: name })
const marksOf = async (name: string) => {
  const marks = await rowOf(name).locator('td.h').getByRole('img').all()
  return Promise.all(marks.slice(0, 3).map((mark) => mark.getAttribute('aria-label')))
}

test('people and machines stand against environments: by grant, by role or not', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/access`)
  await page.getByText('Of these 4, 3 can open Production of Billing.').waitFor()
  await expectSoon(() => marksOf('Ana Duarte'), ['by grant', 'by grant', 'no'])
  await expectSoon(() => marksOf('Tomás Ferreira'), ['by role', 'by role', 'by role'])
  await expectSoon(() => marksOf('=deployer'), ['no', 'no', 'by grant'])
  await expectCount(rowOf('Leila Farouk'), 0)
  await page.getByRole('status').filter({ hasText: '8 of 9 apps' }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'access-overview')
  await page.getByRole('button', { name: 'Show 1 more app' }).click()
  await page.getByRole('columnheader', { name: 'Zeppelin' }).waitFor()
  expect(pageProblems()).toEqual([])
})

test('filters stand in the address, and a reload keeps them', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/access?app=${billing.id}`)
  await table().waitFor()
  await page.getByRole('button', { name: 'Machines' }).click()
  await page.waitForURL(/who=machines/)
  await rowOf('=deployer').waitFor()
  await expectCount(rowOf('Ana Duarte'), 0)
  await page.reload()
  await rowOf('=deployer').waitFor()
  await expectCount(table().getByRole('columnheader', { name: 'Ledger' }), 0)
  await page.getByRole('button', { name: 'People' }).click()
  await page.getByRole('button', { name: 'Environments', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Production' }).click()
  await page.waitForURL(/type=prod/)
  await rowOf('Tomás Ferreira').waitFor()
  await expectCount(rowOf('Ana Duarte'), 0)
  await page.getByRole('searchbox', { name: 'Person or machine' }).fill('nobody of this name')
  await page.getByText('Nobody fits').waitFor()
  expect(pageProblems()).toEqual([])
})

test('the CSV is made from the API’s pages, with the filters, and no field begins a formula', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/access?app=${billing.id}&via=grant`)
  await table().waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  expect(lines.length).toBe(4)
  expect(lines[0]).toBe('kind,name,role,app,environment,type,via,principal_id,app_id,environment_id')
  expect(lines.filter((line) => line.startsWith('person,Ana Duarte,Developer,Billing,')).length).toBe(2)
  expect(
    lines.filter((line) => line.startsWith("machine,'=deployer,Service,Billing,Production,prod,grant,"))
      .length,
  ).toBe(1)
  expect(pageProblems()).toEqual([])
})

test('a Developer reads the overview', async () => {
  const { page } = ana
  await page.goto(`${console.origin}/access`)
  await page.getByRole('table', { name: /People and machines/ }).waitFor()
  await expectAccessible(page)
  expect(pageProblems()).toEqual([])
})

test('who can open an app is shown by marks, with the way to where it is changed for whoever may change it', async () => {
  const { page } = ingrid
  const address = `${console.origin}/apps/${billing.id}/access`
  const marks = async (name: string) => {
    const row = page.getByRole('row').filter({ hasText: name })
    const all = await row.getByRole('cell').getByRole('img').all()
    return Promise.all(all.map((mark) => mark.getAttribute('aria-label')))
  }
  const changes = (who: Visitor) => who.page.getByRole('link', { name: /^Change/ })
  await page.goto(address)
  await page.getByRole('row').filter({ hasText: 'Ana Duarte' }).waitFor()
  await expectSoon(() => marks('Ana Duarte'), ['by grant', 'by grant', 'no'])
  await expectSoon(() => marks('Tomás Ferreira'), ['by role', 'by role', 'by role'])
  await expectSoon(() => marks('=deployer'), ['no', 'no', 'by grant'])
  await expectCount(page.getByRole('checkbox'), 0)
  await expectAccessible(page)
  await screenshot(page, 'app-access', [1440, 1280, 768, 360])
  await expectCount(changes(ingrid), 2)
  await page.getByRole('link', { name: 'Change what =deployer can open' }).click()
  await page.waitForURL(/\/service-accounts\/[^/]+\/access/)
  await page.goBack()
  await page.getByRole('link', { name: 'Change what Ana Duarte can open' }).click()
  await page.waitForURL(new RegExp(`/members/${ana.id}/access`))
  await ana.page.goto(address)
  await ana.page.getByRole('row').filter({ hasText: 'Ana Duarte' }).waitFor()
  await expectCount(changes(ana), 0)
  expect(pageProblems()).toEqual([])
})
