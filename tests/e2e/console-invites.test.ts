import { afterAll, beforeAll, expect, test } from 'bun:test'
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
let ana: Visitor

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  ana = await console.person('Ana Duarte', 'Developer')
})
afterAll(() => console.close())

test('an invite is made in the page, and its link is shown where nothing mails it', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/members`)
  await page.getByRole('table', { name: 'Members' }).waitFor()
  await page.keyboard.press('i')
  await page.getByRole('heading', { name: 'Invites', level: 1 }).waitFor()
  const email = page.getByLabel('E-mail')
  await email.fill('jonas')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await expectSoon(() => email.getAttribute('aria-invalid'), 'true')
  await page.getByText('Write a whole address, such as ana@example.org.').waitFor()
  await email.fill('jonas.weber@marlow.example')
  await page.getByRole('combobox').click()
  const admin = page.getByRole('option', { name: /^Admin/ })
  await admin.filter({ hasText: 'Nobody can be invited to a role with global access.' }).waitFor()
  await expectSoon(() => admin.getAttribute('aria-disabled'), 'true')
  await page.getByRole('option', { name: /^Manager/ }).click()
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = page.getByLabel('Invite link for jonas.weber@marlow.example', { exact: true })
  await link.waitFor()
  const { data } = await ingrid.api('GET', '/v1/members/invites')
  await expectSoon(() => link.locator('code').textContent(), data[0].inviteUrl)
  expect(data[0].role.name).toBe('Manager')
  await page.getByText('This link works on this machine alone').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'invites')
  expect(pageProblems()).toEqual([])
})

test('an address that is invited already is refused with the reason beside the form, and nothing is cleared', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/members/invites`)
  await page.getByLabel('E-mail').fill('ana.duarte@marlow.example')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('A member with this e-mail address already exists.').waitFor()
  await expectSoon(() => page.getByLabel('E-mail').inputValue(), 'ana.duarte@marlow.example')
  expect(pageProblems()).toEqual([])
})

test('an invite is withdrawn after a question', async () => {
  const { page } = ingrid
  await page.goto(`${console.origin}/members/invites`)
  await page.getByRole('button', { name: 'Withdraw the invite of jonas.weber@marlow.example' }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw the invite of jonas.weber@marlow.example?' })
  await dialog.getByRole('button', { name: 'Withdraw the invite' }).click()
  await page.getByText('No invite is open').waitFor()
  expect((await ingrid.api('GET', '/v1/members/invites')).data).toEqual([])
  expect(pageProblems()).toEqual([])
})

test('a Developer sees open invites without their links, and can neither make nor withdraw one', async () => {
  const roles = (await ingrid.api('GET', '/v1/roles')).data as { id: string; name: string }[]
  const role = roles.find(({ name }) => name === 'Service')?.id
  await ingrid.api('POST', '/v1/members/invites', { email: 'elif.kaya@marlow.example', role_id: role })
  const { page } = ana
  await page.goto(`${console.origin}/members/invites`)
  await page.getByRole('rowheader', { name: 'elif.kaya@marlow.example' }).waitFor()
  await expectCount(page.getByRole('button', { name: /^Copy/ }), 0)
  await expectCount(page.getByRole('button', { name: /^Withdraw/ }), 0)
  await expectCount(page.getByRole('form'), 0)
  await expectAccessible(page)
  expect(pageProblems()).toEqual([])
})
