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
})
afterAll(() => console.close())

test('an app is made, and an environment added, renamed and deleted, in its pages', async () => {
  const { page, api } = ingrid
  await page.goto(`${console.origin}/apps`)
  await page.getByText('There is no app that you can open').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'apps-empty')
  await page
    .getByRole('link', { name: /New app/ })
    .first()
    .click()
  await page.getByLabel('Name').fill('Ledger')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create the app' }).click()
  await page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor()

  await page.getByRole('link', { name: /Environments/ }).click()
  await page.getByRole('row', { name: /Staging/ }).waitFor()
  await page.getByLabel('New environment').fill('bad name')
  await page.getByRole('button', { name: 'Add the environment' }).click()
  await page.getByRole('alert').filter({ hasText: 'name' }).waitFor()
  await page.getByLabel('New environment').fill('preview')
  await page.getByRole('button', { name: 'Add the environment' }).click()
  await page.getByRole('row', { name: /preview/ }).waitFor()
  await page.getByRole('button', { name: 'More for preview' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByLabel('Name', { exact: true }).fill('review')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('row', { name: /review/ }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'environments')
  await page.getByRole('button', { name: 'More for review' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete review' }).click()
  await page
    .getByRole('alertdialog')
    .or(page.getByRole('dialog', { name: /Delete/ }))
    .waitFor({ state: 'detached' })
  expect(await page.getByRole('row', { name: /review/ }).count()).toBe(0)
  const { data } = await api('GET', '/v1/apps')
  expect(data[0].environments.map(({ name }: { name: string }) => name)).toEqual([
    'Development',
    'Staging',
    'Production',
  ])
  expect(pageProblems()).toEqual([])
})

test('a Developer sees the apps and environments that it can open, and no act that it may not do', async () => {
  const [app] = (await ingrid.api('GET', '/v1/apps')).data
  const { page } = ana
  await page.goto(`${console.origin}/apps`)
  await page.getByText('There is no app that you can open').waitFor()
  expect(await page.getByRole('link', { name: /New app/ }).count()).toBe(0)
  await ingrid.api('PUT', `/v1/members/${ana.id}/access`, {
    apps: [{ id: app.id, environments: [app.environments[1].id] }],
  })
  await page.reload()
  await page.getByRole('link', { name: 'Ledger' }).click()
  await page.getByRole('link', { name: /Environments/ }).click()
  await page.getByRole('row', { name: /Staging/ }).waitFor()
  expect(await page.getByRole('row', { name: /Production/ }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(1)
  await page.goto(`${console.origin}/apps/${app.id}/access`)
  await page.getByRole('row', { name: /Ana Duarte/ }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'app-access')
  expect(pageProblems()).toEqual([])
})

test('what somebody else saved meanwhile is shown, and not overwritten', async () => {
  const [app] = (await ingrid.api('GET', '/v1/apps')).data
  const { page, api } = ingrid
  await page.goto(`${console.origin}/apps/${app.id}/settings`)
  await page.getByLabel('Description').fill('The books of the company')
  await api('PUT', `/v1/apps/${app.id}`, { description: 'Accounts' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Somebody else has changed this app meanwhile').waitFor()
  expect((await api('GET', `/v1/apps/${app.id}`)).description).toBe('Accounts')
  await expectAccessible(page)
  await screenshot(page, 'app-settings')
  expect(pageProblems()).toEqual([])
})
