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
})
afterAll(() => console.close())

test('a new organisation is led through its first steps', async () => {
  const { page } = ingrid
  await page.goto(console.origin)
  await page.getByText('Make an app').waitFor()
  await page.getByText('Save the server secret and the database').waitFor()
  await page.getByText('Nothing needs you').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'home-empty')
  await page.getByRole('link', { name: 'Back up' }).click()
  await page.getByRole('heading', { name: 'Back up' }).waitFor()
  expect(page.url()).toEndWith('/settings/deployment#back-up')
  // The tests' own origin is a loopback one.
  await page.getByText('This Keyward works on this machine alone').waitFor()
  expect(pageProblems()).toEqual([])
})

test('home says what needs attention, and leads to where it is dealt with', async () => {
  const { page, api } = ingrid
  ana = await console.person('Ana Duarte', 'Developer')
  await console.person('Kwame Boateng', 'Developer')
  await api('POST', '/v1/apps', { name: 'Ledger' })
  const roles = (await api('GET', '/v1/roles')).data
  const service = roles.find(({ name }: { name: string }) => name === 'Service').id
  const developer = roles.find(({ name }: { name: string }) => name === 'Developer').id
  const robot = await api('POST', '/v1/service-accounts', { name: 'deploy-production', role_id: service })
  const soon = new Date(Date.now() + 2 * 86_400_000).toISOString()
  await api('POST', `/v1/service-accounts/${robot.id}/tokens`, { name: 'GitHub Actions', expires_at: soon })
  await api('POST', '/v1/members/invites', { email: 'sam.okafor@marlow.example', role_id: developer })
  await expect(ana.api('POST', '/v1/apps', { name: 'Mine' })).rejects.toThrow('403')
  await page.goto(console.origin)
  await page.getByText('Token “GitHub Actions” of deploy-production expires in 2 days').waitFor()
  await page.getByText('2 members can open nothing').waitFor()
  await page.getByText('An invite is open').waitFor()
  await page.getByText('Ana Duarte was refused something this week').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'home')
  await page.getByRole('link', { name: /^See them: Ana Duarte was refused/ }).click()
  await page.waitForURL(/\/audit\?outcome=refused/)
  expect(pageProblems()).toEqual([])
})

test('the palette opens by ⌘K, finds by name and goes there by the keyboard alone', async () => {
  const { page } = ingrid
  await page.goto(console.origin)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill('duarte')
  await page.getByRole('option', { name: /Ana Duarte/ }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'palette')
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/members/${ana.id}/access`))
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox').fill('audit')
  await page.getByRole('option', { name: 'Audit log' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/audit/)
  expect(pageProblems()).toEqual([])
})

test('the palette finds settings, environments and jobs by the words that people use', async () => {
  const { page } = ingrid
  const read = requestsOf(page)
  await page.goto(console.origin)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  const search = page.getByRole('combobox', { name: 'Search or jump to' })
  for (const [typed, label] of [
    ['backup', 'Back up'],
    ['back up', 'Back up'],
    ['2fa', 'Ways to sign in'],
    ['second factor', 'Ways to sign in'],
    ['authenticator', 'Ways to sign in'],
    ['password', 'Profile and password'],
    ['token', 'Your tokens'],
    ['passkey', 'Ways to sign in'],
    ['dark', 'Switch between light and dark'],
    ['logout', 'Sign out'],
    ['import', 'Import a .env file into Ledger'],
    ['export ledger', 'Export secrets of Ledger'],
    ['production', 'Production of Ledger'],
  ] as const) {
    await search.fill(typed)
    await page.getByRole('option', { name: label }).first().waitFor()
  }
  await page.getByText('Secrets are not searched').waitFor()
  await screenshot(page, 'palette-words')
  await search.fill('new secret')
  await page.getByRole('option', { name: 'New secret in Ledger' }).click()
  await page.getByRole('heading', { name: 'New secret' }).waitFor()
  expect(new URL(page.url()).hash).toBe('')
  await page.goto(console.origin)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await search.fill('backup')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Back up' }).waitFor()
  await page.getByText('cp -a ./data').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'settings-deployment')
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
  const before = await theme()
  await page.keyboard.press('ControlOrMeta+k')
  await search.fill('dark')
  await page.getByRole('option', { name: 'Switch between light and dark' }).click()
  await search.waitFor({ state: 'detached' })
  await expectSoon(theme, before === 'dark' ? 'light' : 'dark')
  await settled(page)
  expect(read.filter((url) => url.includes('/v1/secrets'))).toEqual([])
  expect(pageProblems()).toEqual([])
})

const requestsOf = (page: Visitor['page']): string[] => {
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  return urls
}

test('a Developer is told of nothing that its role does not read, and the palette neither', async () => {
  const { page } = ana
  await page.goto(console.origin)
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
  await expectCount(page.getByText('First steps'), 0)
  await expectCount(page.getByText('Token “GitHub Actions”'), 0)
  await page
    .getByRole('button', { name: /Search or jump to/ })
    .first()
    .click()
  await page.getByRole('combobox').fill('deploy-production')
  await settled(page)
  await page.getByText('Nothing has this in its name.').waitFor()
  expect(pageProblems()).toEqual([])
})
