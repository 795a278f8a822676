import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { expectCount, expectSoon } from '../support/page-reads.ts'

let console: ConsoleUnderTest
let ingrid: Visitor
let noor: Visitor
let ana: Visitor
let kwame: Visitor

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  await console.person('Tomás Ferreira', 'Admin')
  noor = await console.person('Noor Haddad', 'Manager')
  ana = await console.person('Ana Duarte', 'Developer')
  kwame = await console.person('Kwame Boateng', 'Developer')
  await console.person('Jonas Weber', 'Developer')
  await console.person('Elif Kaya', 'Developer')
  const billing = await ingrid.api('POST', '/v1/apps', { name: 'Billing' })
  await ingrid.api('POST', '/v1/apps', { name: 'Ledger' })
  const access = { apps: [{ id: billing.id, environments: billing.environments.map(idOf) }] }
  for (const { id } of [noor, ana]) await ingrid.api('PUT', `/v1/members/${id}/access`, access)
})
afterAll(() => console.close())

const idOf = ({ id }: { id: string }) => id
const open = async (page: Page, path = '/members') => {
  await page.goto(`${console.origin}${path}`)
  await page.getByRole('table', { name: 'Members' }).waitFor()
}
const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
const roleOf = async (id: string): Promise<string> => (await ingrid.api('GET', `/v1/members/${id}`)).role.name

test('members are searched, filtered and sorted in the address, which stands after a reload', async () => {
  const { page } = noor
  await open(page)
  await page.getByText('7 of 7').waitFor()
  await rowOf(page, 'Ana Duarte').getByText('3 of 6').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'members')

  await page.getByRole('searchbox', { name: 'Name or e-mail' }).fill('ana')
  await page.getByText('1 of 1').waitFor()
  await expectSoon(() => new URL(page.url()).search, '?q=ana')
  await page.reload()
  await page.getByText('1 of 1').waitFor()
  await page.getByRole('searchbox', { name: 'Name or e-mail' }).fill('')
  await page.getByRole('button', { name: 'Can open', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Nothing' }).click()
  await page.getByText('3 of 3').waitFor()
  await expectSoon(() => new URL(page.url()).search, '?access=none')
  await page.getByRole('button', { name: 'Remove the filter Can open: nothing' }).click()
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await page.waitForURL(/sort=name/)
  await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=ascending]')).waitFor()
  await expectSoon(
    () => page.locator('tbody th a').allTextContents(),
    [
      'Ana Duarte',
      'Elif Kaya',
      'Ingrid Solberg',
      'Jonas Weber',
      'Kwame Boateng',
      'Noor Haddad',
      'Tomás Ferreira',
    ],
  )
  expect(pageProblems()).toEqual([])
})

test('a Manager changes a role in place and takes it back; what is not theirs to give says why', async () => {
  const { page } = noor
  await open(page)
  const row = rowOf(page, 'Kwame Boateng')
  await row.getByRole('combobox').click()
  const admin = page.getByRole('option', { name: /^Admin/ })
  await admin.filter({ hasText: 'You cannot assign a role with global access.' }).waitFor()
  await expectSoon(() => admin.getAttribute('aria-disabled'), 'true')
  await screenshot(page, 'members-role', [1440, 360])
  await page.getByRole('option', { name: /^Service/ }).click()
  await page.getByText('Kwame Boateng has the role Service now.').waitFor()
  expect(await roleOf(kwame.id)).toBe('Service')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Kwame Boateng has the role Developer now.').waitFor()
  expect(await roleOf(kwame.id)).toBe('Developer')
  await rowOf(page, 'Tomás Ferreira')
    .filter({ hasText: 'You cannot change the role of a member with global access.' })
    .waitFor()
  await rowOf(page, 'Noor Haddad').filter({ hasText: 'You cannot change your own role.' }).waitFor()
  expect(pageProblems()).toEqual([])
})

test('somebody else’s change of a role is shown, not overwritten', async () => {
  const { page } = noor
  await open(page)
  const row = rowOf(page, 'Kwame Boateng')
  await row.getByRole('combobox').click()
  await page.getByRole('option', { name: /^Service/ }).waitFor()
  const roles = (await ingrid.api('GET', '/v1/roles')).data as { id: string; name: string }[]
  await ingrid.api('PUT', `/v1/members/${kwame.id}`, {
    role_id: roles.find(({ name }) => name === 'Manager')?.id,
  })
  await page.getByRole('option', { name: /^Service/ }).click()
  const dialog = page.getByRole('dialog', { name: 'The role of Kwame Boateng was changed meanwhile' })
  await dialog.waitFor()
  expect(await roleOf(kwame.id)).toBe('Manager')
  await dialog.getByRole('button', { name: 'Keep theirs' }).click()
  await row.getByRole('combobox', { name: 'Role of Kwame Boateng: Manager' }).waitFor()
  expect(await roleOf(kwame.id)).toBe('Manager')
  expect(pageProblems()).toEqual([])
})

test('many members get another role and access at once, and whoever fails is named with the reason', async () => {
  const { page } = noor
  await open(page)
  await page.getByRole('checkbox', { name: 'Select Jonas Weber' }).check()
  await page.getByRole('checkbox', { name: 'Select Elif Kaya' }).check()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.filter({ hasText: '2 members selected: Jonas Weber and Elif Kaya' }).waitFor()
  await bar.getByRole('button', { name: 'Give access' }).click()
  const giving = page.getByRole('region', { name: 'Give access' })
  await giving.getByRole('checkbox', { name: 'Billing, Development: closed' }).click()
  await giving.filter({ hasText: '2 members gain Development of Billing.' }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'members-give')
  await giving.getByRole('button', { name: 'Give access' }).click()
  await page.getByText('2 members can open 1 environment more.').waitFor()
  const { data } = await ingrid.api('GET', '/v1/members?q=weber&limit=1')
  expect(data[0].accessibleEnvironments).toBe(1)

  await page.getByRole('checkbox', { name: 'Select Jonas Weber' }).check()
  await page.getByRole('checkbox', { name: 'Select Elif Kaya' }).check()
  await ingrid.api('DELETE', `/v1/members/${data[0].id}`)
  await bar.getByRole('button', { name: 'Change role' }).click()
  await page.getByRole('menuitem', { name: 'Service' }).click()
  await page.getByText('1 of 2 members was not changed.').waitFor()
  await page.getByRole('alert').filter({ hasText: 'Jonas Weber: Member not found' }).waitFor()
  await bar.filter({ hasText: '1 member selected: Jonas Weber' }).waitFor()
  await screenshot(page, 'members-failed', [1440])
  expect(pageProblems()).toEqual([])
})

test('a removal says what it takes away before it happens', async () => {
  const { page } = noor
  await open(page)
  await page.getByRole('button', { name: 'More for Elif Kaya' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove Elif Kaya?' })
  await dialog.filter({ hasText: 'Access to 1 environment ends at once.' }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'members-remove')
  await dialog.getByRole('button', { name: 'Remove Elif' }).click()
  await page.getByText('Elif Kaya was removed.').waitFor()
  await expectCount(rowOf(page, 'Elif Kaya'), 0)
  expect((await ingrid.api('GET', '/v1/members?q=elif&limit=1')).total).toBe(0)
  expect(pageProblems()).toEqual([])
})

test('a Developer reads who is here, and is offered no change', async () => {
  const { page } = ana
  await open(page)
  await rowOf(page, 'Noor Haddad').waitFor()
  await expectCount(page.getByRole('checkbox'), 0)
  await expectCount(page.getByRole('combobox'), 0)
  await expectCount(page.getByRole('link', { name: 'Invite', exact: true }), 0)
  await expectCount(page.getByRole('button', { name: /^More for/ }), 0)
  await expectAccessible(page)
  expect(pageProblems()).toEqual([])
})
