import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { expectCount, expectSoon, settled } from '../support/page-reads.ts'

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
  await page.getByLabel('Name', { exact: true }).fill('Ledger')
  await page.getByLabel('Environments').fill('Development, Pro duction')
  await page.getByRole('button', { name: 'Create the app' }).click()
  await page.getByRole('alert').first().waitFor()
  await expectSoon(
    () => page.getByRole('alert').allTextContents(),
    [expect.stringMatching(/^“Pro duction” must/)],
  )
  await page.getByLabel('Environments').fill('Development, Staging, Production')
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
  await expectCount(page.getByRole('row', { name: /review/ }), 0)
  const { data } = await api('GET', '/v1/apps')
  expect(data[0].environments.map(({ name }: { name: string }) => name)).toEqual([
    'Development',
    'Staging',
    'Production',
  ])
  expect(pageProblems()).toEqual([])
})

test('a page that is on its way arrives, whatever is typed into the search of the page before', async () => {
  const { page } = ingrid
  const SLOW = '**/assets/new-app-page-*.js'
  await page.goto(`${console.origin}/roles`)
  const typed = Promise.withResolvers<void>()
  await page.route(SLOW, async (route) => {
    await typed.promise
    await route.continue()
  })
  await page.reload()
  await page.getByRole('link', { name: 'Apps and secrets' }).click()
  const search = page.getByRole('searchbox', { name: 'Name of an app' })
  await search.fill('led')
  await page.getByRole('link', { name: /New app/ }).click()
  await search.fill('ledger')
  // Longer than the pause after which a search reaches the address.
  await page.waitForTimeout(500)
  typed.resolve()
  await page.getByRole('heading', { name: 'New app', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/apps/new')
  await page.unroute(SLOW)
})

test('a Developer sees the apps and environments that it can open, and no act that it may not do', async () => {
  const [app] = (await ingrid.api('GET', '/v1/apps')).data
  const { page } = ana
  await page.goto(`${console.origin}/apps`)
  await page.getByText('There is no app that you can open').waitFor()
  await expectCount(page.getByRole('link', { name: /New app/ }), 0)
  await ingrid.api('PUT', `/v1/members/${ana.id}/access`, {
    apps: [{ id: app.id, environments: [app.environments[1].id] }],
  })
  await page.reload()
  await page.getByRole('link', { name: 'Ledger' }).click()
  await page.getByRole('link', { name: /Environments/ }).click()
  await page.getByRole('row', { name: /Staging/ }).waitFor()
  await expectCount(page.getByRole('row', { name: /Production/ }), 0)
  await expectCount(page.getByRole('link', { name: 'Settings', exact: true }), 1)
  await page.goto(`${console.origin}/apps/${app.id}/access`)
  await page.getByRole('row', { name: /Ana Duarte/ }).waitFor()
  await expectAccessible(page)
  await expectCount(page.getByRole('link', { name: /^Change/ }), 0)
  expect(pageProblems()).toEqual([])
})

test('a name that two people change is shown to the second with both, and overwritten by nothing else', async () => {
  const [app] = (await ingrid.api('GET', '/v1/apps')).data
  const noor = await console.person('Noor Haddad', 'Admin')
  const settings = `${console.origin}/apps/${app.id}/settings`
  const { page, api } = ingrid
  const save = async (who: Visitor, name: string) => {
    await who.page.getByLabel('Name', { exact: true }).fill(name)
    await who.page.getByRole('button', { name: 'Save' }).click()
  }
  const dialog = page.getByRole('dialog', { name: 'This app was changed while you were editing' })
  const nameNow = async () => (await api('GET', `/v1/apps/${app.id}`)).name

  await Promise.all([page.goto(settings), noor.page.goto(settings)])
  await page.getByLabel('Name', { exact: true }).fill('Main ledger')
  await save(noor, 'General ledger')
  await noor.page.getByText('The app was changed.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('row', { name: 'Name General ledger Main ledger' }).waitFor()
  expect(await nameNow()).toBe('General ledger')
  await expectAccessible(page)
  await screenshot(page, 'app-conflict')

  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await expectSoon(() => page.getByLabel('Name', { exact: true }).inputValue(), 'Main ledger')
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Keep theirs' }).click()
  await expectSoon(() => page.getByLabel('Name', { exact: true }).inputValue(), 'General ledger')
  await settled(page)
  expect(await nameNow()).toBe('General ledger')

  await page.getByLabel('Name', { exact: true }).fill('Ledger')
  await save(noor, 'Books')
  await noor.page.getByRole('heading', { name: 'Books', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Apply mine' }).click()
  await page.getByRole('heading', { name: 'Ledger', level: 1, exact: true }).waitFor()
  expect(await nameNow()).toBe('Ledger')

  // Another field of the same thing is shown too, and stays theirs.
  await page.getByLabel('Description').fill('The books of the company')
  await api('PUT', `/v1/apps/${app.id}`, { name: 'Ledgers' })
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('row', { name: 'Name Ledgers as it was' }).waitFor()
  await dialog.getByRole('row', { name: 'Description as it was The books of the company' }).waitFor()
  await dialog.getByRole('button', { name: 'Apply mine' }).click()
  await page.getByRole('heading', { name: 'Ledgers', level: 1 }).waitFor()
  expect(await api('GET', `/v1/apps/${app.id}`)).toMatchObject({
    name: 'Ledgers',
    description: 'The books of the company',
  })
  await screenshot(page, 'app-settings')
  expect(pageProblems()).toEqual([])
})

test('a change of something else of an app is no reason to ask', async () => {
  const [app] = (await ingrid.api('GET', '/v1/apps')).data
  const { page, api } = ingrid
  await page.goto(`${console.origin}/apps/${app.id}/settings`)
  await page.getByLabel('Name', { exact: true }).fill('Ledger')
  await api('POST', `/v1/environments?app_id=${app.id}`, { name: 'preview' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Ledger', level: 1, exact: true }).waitFor()
  expect(pageProblems()).toEqual([])
})

test('an environment that somebody else has renamed meanwhile is not renamed over it', async () => {
  const [app] = (await ingrid.api('GET', '/v1/apps')).data
  const { page, api } = ingrid
  await page.goto(`${console.origin}/apps/${app.id}/environments`)
  await page.getByRole('button', { name: 'More for preview' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByLabel('Name', { exact: true }).fill('review')
  await screenshot(page, 'environment-rename')
  const { data } = await api('GET', `/v1/environments?app_id=${app.id}`)
  const { id } = data.find(({ name }: { name: string }) => name === 'preview')
  await api('PUT', `/v1/environments/${id}`, { name: 'canary' })
  await page.getByRole('button', { name: 'Rename' }).click()
  const dialog = page.getByRole('dialog', { name: 'This environment was changed while you were editing' })
  await dialog.getByRole('row', { name: 'Name canary review' }).waitFor()
  expect((await api('GET', `/v1/environments/${id}`)).name).toBe('canary')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Apply mine' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /^review/ }).waitFor()
  expect((await api('GET', `/v1/environments/${id}`)).name).toBe('review')
  expect(pageProblems()).toEqual([])
})
