import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import {
  type ConsoleUnderTest,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { expectSoon, settled } from '../support/page-reads.ts'

/** A phone that is small: a finger, no pointer that hovers. */
const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }

const LONG = 'northern-instruments-continuous-delivery-and-correspondence'

let console: ConsoleUnderTest
let ingrid: Visitor
let paths: string[]
let account: string

beforeAll(async () => {
  console = await startConsole()
  const { api, email, name } = await console.founder()
  const permissions = { permissions: {}, app_permissions: {} }
  const role = await api('POST', '/v1/roles', { name: LONG.replaceAll('-', ' '), permissions })
  const environments = ['Development', 'Staging', 'Production', 'preview', `${LONG.slice(0, 40)}-eu`, 'load']
  const app = await api('POST', '/v1/apps', { name: LONG, description: LONG, environments })
  const [secret] = [{ key: LONG.toUpperCase().replaceAll('-', '_'), value: LONG.repeat(4), tags: [LONG] }]
  await api('POST', `/v1/secrets?app_id=${app.id}&env=Development`, { secrets: [secret] })
  const [stored] = await api('GET', `/v1/secrets?app_id=${app.id}&env=Development`)
  const person = await console.person(`Maxi ${LONG.replaceAll('-', '')}`, role.name)
  account = (await api('POST', '/v1/service-accounts', { name: LONG, role_id: role.id })).id
  await api('POST', '/v1/members/invites', { email: `${LONG}@marlow.example`, role_id: role.id })
  paths = [
    '/',
    `/access?app=${app.id}`,
    '/members',
    '/members/invites',
    `/members/${person.id}/access`,
    '/service-accounts',
    `/service-accounts/${account}/tokens`,
    `/service-accounts/${account}/access`,
    '/roles',
    `/roles/${role.id}`,
    '/apps',
    `/apps/${app.id}/secrets`,
    `/apps/${app.id}/secrets/${stored.id}`,
    `/apps/${app.id}/environments`,
    `/apps/${app.id}/access`,
    `/apps/${app.id}/settings`,
    `/audit?app=${app.id}`,
    '/settings/sign-in',
    '/settings/ownership',
  ]
  ingrid = await console.signIn(email, name, PHONE)
}, 60_000)
afterAll(() => console.close())

/** What stands further right than the screen is wide; matrices, tabs and the like scroll by themselves. */
const outside = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('body *')]
    .filter((element) => element.getClientRects().length > 0)
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .filter((element) => element.closest('.scroll-x, .tabs, .tree, .diff, .vh, .members .who') === null)
    .map((element) => element.outerHTML.slice(0, 120))`)

/** Touches the place on the screen where something stands. */
async function tap(page: Page, what: Locator): Promise<void> {
  await what.waitFor()
  const { x, y, width, height } = (await what.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  await page.touchscreen.tap(x + width / 2, y + height / 2)
}

test('no page is wider than a phone, whatever things are called', async () => {
  const { page } = ingrid
  for (const path of paths) {
    await page.goto(`${console.origin}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled(page)
    expect({ path, outside: await outside(page) }).toEqual({ path, outside: [] })
  }
  expect(pageProblems()).toEqual([])
}, 90_000)

test('of a dialog that is longer than a phone, its acts stay in sight', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/service-accounts/${account}/tokens`)
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByLabel('Name', { exact: true }).fill(LONG)
  await page.getByRole('button', { name: 'Never', exact: true }).click()
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy the token now' })
  await dialog.waitFor()
  await settled(page)
  const done = await dialog.getByRole('button', { name: 'Done' }).boundingBox()
  expect((done?.y ?? 0) + (done?.height ?? 0)).toBeLessThanOrEqual(PHONE.viewport.height)
  expect(await outside(page)).toEqual([])
  await screenshot(page, 'narrow-token', [360])
  await dialog.locator('.body').evaluate((body) => body.scrollTo(0, body.scrollHeight))
  const kept = dialog.getByLabel('I have a copy in a safe place')
  await tap(page, kept)
  await expectSoon(() => kept.isChecked(), true)
  await tap(page, dialog.getByRole('button', { name: 'Done' }))
  await dialog.waitFor({ state: 'detached' })
  expect(pageProblems()).toEqual([])
}, 60_000)
