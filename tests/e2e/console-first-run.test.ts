import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { startChromium } from '../support/chromium.ts'
import { cleanUp, dataDirectory, type Keyward, ready, startKeyward } from '../support/keyward.ts'
import { expectCount, settled, watchRequests } from '../support/page-reads.ts'
import { PASSWORD } from '../support/sign-in.ts'

let chromium: Browser
let keyward: Keyward
let origin: string
const problems: string[] = []

beforeAll(async () => {
  keyward = startKeyward({ env: { KEYWARD_DATA: await dataDirectory() } })
  origin = keyward.url.replace('127.0.0.1', 'localhost')
  chromium = await startChromium()
  await ready(keyward)
}, 60_000)
afterAll(async () => {
  await chromium.close()
  await cleanUp()
})

async function visitor(): Promise<Page> {
  const context = await chromium.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  return watchRequests(page)
}

const click = (page: Page, role: 'link' | 'button' | 'checkbox', name: string | RegExp) =>
  page.getByRole(role, typeof name === 'string' ? { name, exact: true } : { name }).click()

/** Notes each moment in which the side bar of a page is not to be seen. */
const watchFrame = (page: Page) =>
  page.evaluate(`{
    window.gone = []
    const look = () => {
      const side = document.getElementById('side')
      if (side === null || side.getClientRects().length === 0) window.gone.push(location.pathname)
      requestAnimationFrame(look)
    }
    look()
  }`)

test('an empty Keyward becomes one in which Ana sees a secret, with the mouse and what the pages say', async () => {
  const ingrid = await visitor()
  await ingrid.goto(origin)
  await ingrid.getByLabel('Organisation').fill('Marlow Instruments')
  await ingrid.getByLabel('Your name').fill('Ingrid Solberg')
  await ingrid.getByLabel('E-mail').fill('ingrid@marlow.example')
  await ingrid.getByLabel('Password').fill(PASSWORD)
  await click(ingrid, 'button', 'Create the organisation')
  await ingrid.getByRole('heading', { name: 'First steps' }).waitFor()
  await watchFrame(ingrid)

  await click(ingrid, 'link', 'New app')
  await ingrid.getByLabel('Name', { exact: true }).fill('Billing')
  await click(ingrid, 'button', 'Create the app')
  await ingrid.getByRole('heading', { name: 'Billing has no secrets yet' }).waitFor()
  await ingrid.getByRole('button', { name: 'New secret' }).first().click()
  await ingrid.getByLabel('Name', { exact: true }).fill('STRIPE_KEY')
  await ingrid.getByLabel('Value in Staging').fill('rk-example-staging')
  await click(ingrid, 'button', /^Add to the changes/)
  await click(ingrid, 'button', /^Apply/)
  await ingrid.getByText('1 change was applied.').waitFor()

  await click(ingrid, 'link', 'Home')
  await click(ingrid, 'link', 'Invite')
  await ingrid.getByLabel('E-mail').fill('ana@marlow.example')
  await click(ingrid, 'button', 'Invite')
  const made = ingrid.getByRole('group', { name: 'Invite link for ana@marlow.example' })
  await made.getByRole('button').click()
  await made.getByText('Copied').waitFor()

  const ana = await visitor()
  await ana.goto(await ingrid.evaluate('navigator.clipboard.readText()'))
  await ana.getByLabel('Your name').fill('Ana Duarte')
  await ana.getByLabel('Password').fill(PASSWORD)
  await click(ana, 'button', 'Join Marlow Instruments')
  await ana.getByText('You can open no environment yet').waitFor()
  await expectCount(ana.getByRole('link', { name: /Give access/ }), 0)
  const apps = ana.getByRole('link', { name: /Apps and secrets/ })
  await apps.getByText('0').waitFor()

  await click(ingrid, 'link', 'Home')
  await click(ingrid, 'link', /^Give access/)
  const cell = ingrid.getByRole('checkbox', { name: /^Billing, Staging/ })
  await cell.waitFor()
  await settled(ingrid)
  const before = await cell.boundingBox()
  await cell.click()
  await ingrid.getByText('Ana gains Staging of Billing.').waitFor()
  expect((await cell.boundingBox())?.x).toBe(before?.x)
  await click(ingrid, 'button', /^Apply/)
  await ingrid.getByText('Applied. Ana can open Staging of Billing.').waitFor()

  await apps.click()
  await click(ana, 'link', 'Billing')
  await apps.getByText('1').waitFor()
  await ana.getByRole('columnheader', { name: /Staging/ }).waitFor()
  await expectCount(ana.getByRole('columnheader', { name: /Production/ }), 0)
  await expectCount(ana.getByText('rk-example-staging'), 0)
  await click(ana, 'button', /^Show values/)
  await ana.getByText('rk-example-staging').waitFor()

  await click(ingrid, 'link', 'Audit log')
  const main = ingrid.getByRole('main')
  await main.getByText('Ingrid Solberg opened Staging of Billing to Ana Duarte').waitFor()
  await main.getByText('Ana Duarte read 1 secret in Staging of Billing').waitFor()
  await click(ingrid, 'link', 'Home')
  await main.getByText('opened Staging of Billing to Ana Duarte').waitFor()
  await expectCount(main.getByText(/read \d+ secret/), 0)
  const steps = ingrid.getByRole('region', { name: 'First steps' })
  await expectCount(steps.getByRole('listitem').filter({ hasText: '(done)' }), 3)
  await steps.getByRole('link', { name: 'Back up' }).waitFor()
  await click(ingrid, 'button', 'Hide these steps')
  await ingrid.reload()
  await main.getByText('opened Staging of Billing to Ana Duarte').waitFor()
  await expectCount(steps, 0)
  await watchFrame(ingrid)

  await click(ingrid, 'link', /^Members/)
  await click(ingrid, 'link', /Ana Duarte/)
  await click(ingrid, 'link', 'Activity')
  await click(ingrid, 'button', 'Done to them')
  await main.getByText('Ingrid Solberg opened Staging of Billing to Ana Duarte').waitFor()
  await settled(ingrid)
  expect(await ingrid.evaluate('window.gone')).toEqual([])
  expect(problems).toEqual([])
}, 60_000)
