import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  type ConsoleUnderTest,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { expectCount, expectSoon, settled } from '../support/page-reads.ts'
import { PASSWORD } from '../support/sign-in.ts'

let console: ConsoleUnderTest
let ingrid: Visitor
let ana: Visitor
let ledger: { id: string; environments: { id: string; name: string }[] }

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  ana = await console.person('Ana Duarte', 'Developer')
  ledger = await ingrid.api('POST', '/v1/apps', { name: 'Ledger' })
  for (const { page } of [ingrid, ana]) await page.clock.install()
})
afterAll(() => console.close())

/** Lets the clock of a page go on until it asks again: no answer takes as long, so those on their way come first. */
async function later(page: Page): Promise<void> {
  await settled(page)
  await page.clock.runFor(21_000)
}

const give = (to: Visitor, names: readonly string[]) =>
  ingrid.api('PUT', `/v1/members/${to.id}/access`, {
    apps: [
      {
        id: ledger.id,
        environments: ledger.environments.filter(({ name }) => names.includes(name)).map(({ id }) => id),
      },
    ],
  })

/** Invites somebody; what it gives lets them accept. */
async function invite(email: string, fullName: string): Promise<() => Promise<Response>> {
  const roles = (await ingrid.api('GET', '/v1/roles')).data as { id: string; name: string }[]
  const role_id = roles.find(({ name }) => name === 'Developer')?.id
  const { inviteUrl } = await ingrid.api('POST', '/v1/members/invites', { email, role_id })
  const body = { email, password: PASSWORD, full_name: fullName, invite: new URL(inviteUrl).hash.slice(1) }
  return () =>
    fetch(`${console.origin}/service/auth/password/register/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
}

const countIn = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })

/** Counts the skeletons that a page shows once its first ones have gone. */
async function watchSkeletons(page: Page): Promise<void> {
  await settled(page)
  await page.evaluate(`{
    window.skeletons = 0
    new MutationObserver(() => { window.skeletons += document.querySelectorAll('.skel').length })
      .observe(document.body, { subtree: true, childList: true })
  }`)
}

test('somebody who waits for access is shown the app at Home when they get it', async () => {
  const { page } = ana
  await page.goto(console.origin)
  await page.getByText('You can open no environment yet').waitFor()
  await watchSkeletons(page)
  await give(ana, ['Staging'])
  await later(page)
  await page.getByText('You can open Ledger now').waitFor()
  await page.getByText('You were given access to Staging.').waitFor()
  await expectCount(page.getByText('You can open no environment yet'), 0)
  await countIn(page, /^Apps and secrets 1$/).waitFor()
  await settled(page)
  expect(await page.evaluate('window.skeletons')).toBe(0)
  await screenshot(page, 'home-given', [1440, 1280, 768, 360])
  await page.getByRole('link', { name: 'Open: You can open Ledger now' }).click()
  await page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor()
  expect(pageProblems()).toEqual([])
})

test('the empty list of apps shows the first app by itself', async () => {
  const { page } = ana
  await ingrid.api('PUT', `/v1/members/${ana.id}/access`, { apps: [] })
  await page.goto(`${console.origin}/apps`)
  await page.getByText('There is no app that you can open').waitFor()
  await give(ana, ['Staging', 'Production'])
  await later(page)
  await page.getByRole('link', { name: 'Ledger' }).waitFor()
  await countIn(page, /^Apps and secrets 1$/).waitFor()
  expect(pageProblems()).toEqual([])
})

test('open invites lose who has joined, and what is typed beside them stays', async () => {
  const { page } = ingrid
  const accept = await invite('elif.kaya@marlow.example', 'Elif Kaya')
  await page.goto(`${console.origin}/members/invites`)
  await page.getByRole('rowheader', { name: 'elif.kaya@marlow.example' }).waitFor()
  await page.getByLabel('E-mail').fill('half.an.addre')
  await watchSkeletons(page)
  expect((await accept()).status).toBe(201)
  await later(page)
  await page.getByText('No invite is open').waitFor()
  await countIn(page, /^Members 3$/).waitFor()
  await expectSoon(() => page.getByLabel('E-mail').inputValue(), 'half.an.addre')
  await page.locator('input[type=email]:focus').waitFor()
  await settled(page)
  expect(await page.evaluate('window.skeletons')).toBe(0)
  expect(pageProblems()).toEqual([])
})

test('the members’ list shows who joins and who is given access, and keeps the selection and the place', async () => {
  const { page } = ingrid
  await give(ana, ['Staging'])
  const accept = await invite('jonas.weber@marlow.example', 'Jonas Weber')
  await page.setViewportSize({ width: 1440, height: 320 })
  await page.goto(`${console.origin}/members`)
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
  await row('Ana Duarte').getByText('1 of 3').waitFor()
  await row('Ana Duarte').getByRole('checkbox').check()
  await page.getByText('1 member selected:').waitFor()
  await watchSkeletons(page)
  await page.evaluate('scrollTo(0, 80)')
  await expectSoon(() => page.evaluate('scrollY'), 80)
  await accept()
  await give(ana, ['Staging', 'Production'])
  await later(page)
  await row('Jonas Weber').waitFor()
  await row('Ana Duarte').getByText('2 of 3').waitFor()
  await countIn(page, /^Members 4$/).waitFor()
  await expectSoon(() => row('Ana Duarte').getByRole('checkbox').isChecked(), true)
  await expectCount(page.getByText('1 member selected:'), 1)
  expect(await page.evaluate('scrollY')).toBe(80)
  expect(await page.evaluate('window.skeletons')).toBe(0)
  await page.setViewportSize({ width: 1440, height: 900 })
  expect(pageProblems()).toEqual([])
})

test('Home says that an invite was accepted and that somebody can open nothing, but asks only while it is in sight', async () => {
  const { page } = ingrid
  const accept = await invite('noor.haddad@marlow.example', 'Noor Haddad')
  await page.goto(console.origin)
  await page.getByText('An invite is open').waitFor()
  const turn = (state: 'hidden' | 'visible') =>
    page.evaluate(`{
      Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      window.dispatchEvent(new Event('visibilitychange'))
    }`)
  await turn('hidden')
  await settled(page)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/')) asked.push(request.url())
  })
  // Entries of the same time have no order.
  console.ctx.clock.advance(1)
  await accept()
  await later(page)
  await settled(page)
  expect(asked).toEqual([])
  await turn('visible')
  await later(page)
  await page.getByText('An invite is open').waitFor({ state: 'detached' })
  await page.getByText('3 members can open nothing').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Noor Haddad accepted an invite' }).waitFor()
  expect(pageProblems()).toEqual([])
})
