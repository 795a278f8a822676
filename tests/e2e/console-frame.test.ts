import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { expectSoon } from '../support/page-reads.ts'

let console: ConsoleUnderTest
let ingrid: Visitor

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
})
afterAll(() => console.close())

test('without a session a page leads to the sign-in, and from there back to where the reader was going', async () => {
  const page = await console.open()
  await page.goto(`${console.origin}/members`)
  await page.waitForURL(/\/sign-in\?next=/)
  await page.getByLabel('E-mail').fill(ingrid.email)
  await page.getByLabel('Password').fill('correct horse battery staple')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/members')
  expect(pageProblems()).toEqual([])
})

test('the frame names the organisation and the reader, and marks the page', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/`)
  await page.getByText('Marlow Instruments').first().waitFor()
  const current = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' })
  await expectSoon(() => current.getAttribute('aria-current'), 'page')
  await expectAccessible(page)
  await screenshot(page, 'frame')
  expect(pageProblems()).toEqual([])
})

test('an unknown address says that there is no such page, to strangers and members alike', async () => {
  for (const page of [await console.open(), ingrid.page]) {
    const response = await page.goto(`${console.origin}/nonsense/below`)
    expect(response?.status()).toBe(404)
    await page.getByRole('heading', { name: 'There is no page at this address', level: 1 }).waitFor()
    await expectAccessible(page)
  }
  await screenshot(ingrid.page, 'not-found')
  await ingrid.page.getByRole('link', { name: 'Go home' }).click()
  await ingrid.page.getByRole('navigation', { name: 'Main' }).waitFor()
  expect(pageProblems()).toEqual([])
})

test('an address whose id leads to another path of the API is not found, and nothing is asked for', async () => {
  const { page } = ingrid
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  for (const path of [
    '/service-accounts/..%2Froles',
    '/members/..%2Fapps',
    '/roles/..%2Fapps',
    '/apps/..%2Froles',
  ]) {
    await page.goto(console.origin + path)
    await page.getByRole('heading', { name: 'There is no page at this address', level: 1 }).waitFor()
  }
  expect(asked.filter((path) => /^\/v1\/.*(roles|apps)/.test(path))).toEqual([])
  expect(pageProblems()).toEqual([])
})
