import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { expectCount, expectSoon, settled } from '../support/page-reads.ts'

type Role = { id: string; name: string; permissions: { permissions: Record<string, string[]> } }

let console: ConsoleUnderTest
let ingrid: Visitor
let release: Role

const NONE = { permissions: {}, app_permissions: {} }

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  ingrid.page.setDefaultTimeout(15_000)
  release = await ingrid.api('POST', '/v1/roles', {
    name: 'Release manager',
    description: 'Ships releases.',
    color: '#B45309',
    permissions: {
      permissions: { Apps: ['read'], Members: ['read'] },
      app_permissions: { Secrets: ['read'] },
    },
  })
})
afterAll(() => console.close())

const open = (visitor: Visitor, path: string) => visitor.page.goto(`${console.origin}${path}`)
const cell = (page: Page, level: string, label: string) =>
  page.getByRole('region', { name: level }).getByRole('checkbox', { name: new RegExp(`^${label}:`) })
const roleNow = (id: string): Promise<Role> => ingrid.api('GET', `/v1/roles/${id}`)

describe('the list of roles', () => {
  test('shows default and custom ones with how many hold each, and finds by name', async () => {
    const { page } = ingrid
    await open(ingrid, '/roles')
    const owner = page.getByRole('row', { name: /^Owner/ })
    await owner.getByRole('link', { name: '1 members with this role' }).waitFor()
    await page.getByRole('row', { name: /^Release manager.*Custom/ }).waitFor()
    await expectAccessible(page)
    await screenshot(page, 'roles')
    await page.getByRole('searchbox', { name: 'Name of a role' }).fill('release')
    await page.waitForURL(/q=release/)
    await page.getByText('1 of 1').waitFor()
    expect(pageProblems()).toEqual([])
  })
})

describe('a custom role', () => {
  test('is edited as a whole, said in words, and applied at once', async () => {
    const { page } = ingrid
    await open(ingrid, `/roles/${release.id}`)
    await cell(page, 'In the organisation', 'read Apps').waitFor()
    await expectSoon(() => cell(page, 'In the organisation', 'read Apps').isChecked(), true)
    await cell(page, 'In the organisation', 'create Apps').click()
    await cell(page, 'In apps', 'read Secrets').click()
    const bar = page.getByRole('region', { name: 'Changes not yet applied' })
    await bar.getByText('Whoever holds it gains create Apps; and loses read Secrets in apps.').waitFor()
    expect((await roleNow(release.id)).permissions.permissions.Apps).toEqual(['read'])
    await expectAccessible(page)
    await screenshot(page, 'role')
    await bar.getByRole('button', { name: 'Apply' }).click()
    await bar.waitFor({ state: 'detached' })
    expect((await roleNow(release.id)).permissions).toMatchObject({
      permissions: { Apps: ['read', 'create'], Members: ['read'] },
      appPermissions: {},
    })
  })

  test('is edited with the keyboard alone', async () => {
    const { page } = ingrid
    await open(ingrid, `/roles/${release.id}`)
    await cell(page, 'In the organisation', 'create Organisation').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await page.keyboard.press('Space')
    await page.getByText('gains delete Billing').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('region', { name: 'Changes not yet applied' }).waitFor({ state: 'detached' })
    expect((await roleNow(release.id)).permissions.permissions.Billing).toEqual(['delete'])
  })

  test('that somebody else changes meanwhile shows both changes, and overwrites neither', async () => {
    const { page } = ingrid
    const role = await ingrid.api('POST', '/v1/roles', { name: 'Contended', permissions: NONE })
    await open(ingrid, `/roles/${role.id}`)
    await cell(page, 'In the organisation', 'read Teams').click()
    await ingrid.api('PUT', `/v1/roles/${role.id}`, {
      description: 'Theirs.',
      permissions: { permissions: { SCIM: ['read'] }, app_permissions: {} },
    })
    await page.getByRole('button', { name: 'Apply' }).click()
    const dialog = page.getByRole('dialog', { name: 'This role was changed while you were editing' })
    await dialog.getByRole('row', { name: 'read SCIM allowed as it was' }).waitFor()
    await dialog.getByRole('row', { name: 'read Teams as it was allowed' }).waitFor()
    await dialog.getByRole('row', { name: 'Description Theirs. as it was' }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Apply mine' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'Changes not yet applied' }).waitFor({ state: 'detached' })
    expect(await roleNow(role.id)).toMatchObject({
      description: 'Theirs.',
      permissions: { permissions: { SCIM: ['read'], Teams: ['read'] } },
    })
  })

  test('says the API’s own sentence where its name is taken, and keeps what was typed', async () => {
    const { page } = ingrid
    await open(ingrid, `/roles/${release.id}`)
    await page.getByText('Name, description and colour').click()
    await page.getByLabel('Name', { exact: true }).fill('contended')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('alert').filter({ hasText: /name/i }).waitFor()
    await expectSoon(() => page.getByLabel('Name', { exact: true }).inputValue(), 'contended')
    await page.getByRole('button', { name: 'Discard' }).click()
    await expectSoon(() => page.getByLabel('Name', { exact: true }).inputValue(), 'Release manager')
  })

  test('is not left with changes that are not applied, unless the reader says so', async () => {
    const { page } = ingrid
    await open(ingrid, `/roles/${release.id}`)
    await cell(page, 'In the organisation', 'read Teams').click()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Roles' }).click()
    await page
      .getByRole('dialog', { name: 'Leave without applying?' })
      .getByRole('button', { name: 'Stay' })
      .click()
    await settled(page)
    expect(page.url()).toContain(release.id)
    await page.getByRole('button', { name: 'Discard' }).click()
  })
})

describe('deleting a role', () => {
  test('that somebody holds can’t be started, and says who holds it', async () => {
    const { page } = ingrid
    const held = await ingrid.api('POST', '/v1/roles', { name: 'Held', permissions: NONE })
    await ingrid.api('POST', '/v1/service-accounts', { name: 'release-bot', role_id: held.id })
    await open(ingrid, `/roles/${held.id}`)
    await page.getByRole('link', { name: 'release-bot' }).waitFor()
    const button = page.getByRole('button', { name: 'Delete' })
    await page.locator('button[aria-disabled=true]').waitFor()
    await expectSoon(
      () => button.getAttribute('aria-description'),
      expect.stringContaining('in use by 1 service account'),
    )
    await button.click({ force: true })
    await expectCount(page.getByRole('dialog'), 0)
  })

  test('that an invite waits for is refused with the API’s sentence, and the role stays', async () => {
    const { page } = ingrid
    const role = await ingrid.api('POST', '/v1/roles', { name: 'Awaited', permissions: NONE })
    await ingrid.api('POST', '/v1/members/invites', { email: 'new@marlow.example', role_id: role.id })
    await open(ingrid, `/roles/${role.id}`)
    await page.getByText('Nobody holds this role.').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete Awaited' }).click()
    await page.getByText('The role is in use by 1 pending invite. Reassign or cancel them first.').waitFor()
    expect((await roleNow(role.id)).name).toBe('Awaited')
  })

  test('that nobody holds takes it off the list', async () => {
    const { page } = ingrid
    const role = await ingrid.api('POST', '/v1/roles', { name: 'Short-lived', permissions: NONE })
    await open(ingrid, `/roles/${role.id}`)
    await page.getByText('Nobody holds this role.').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete Short-lived' }).click()
    await page.getByText('The role Short-lived was deleted.').waitFor()
    await expectSoon(() => new URL(page.url()).pathname, '/roles')
    await expectCount(page.getByRole('link', { name: 'Short-lived' }), 0)
    expect(pageProblems()).toEqual([])
  })
})

describe('a default role', () => {
  test('is read only, and is duplicated into one that can be changed', async () => {
    const { page } = ingrid
    await open(ingrid, '/roles')
    await page.getByRole('link', { name: 'Developer', exact: true }).click()
    await page.getByText('Default roles cannot be modified.').waitFor()
    await expectSoon(() => cell(page, 'In apps', 'read Secrets').getAttribute('aria-disabled'), 'true')
    await expectCount(page.getByRole('button', { name: 'Delete' }), 0)
    await page.getByRole('link', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'New role like Developer' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Careful developer')
    await cell(page, 'In apps', 'delete Secrets').click()
    await expectAccessible(page)
    await screenshot(page, 'role-new')
    await page.getByRole('button', { name: 'Create the role' }).click()
    await page.getByText('The role Careful developer was created.').waitFor()
    await page.waitForURL(/\/roles\/[0-9a-f-]{36}$/)
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    expect(await roleNow(id)).toMatchObject({
      permissions: { appPermissions: { Secrets: ['create', 'read', 'update'] } },
    })
    expect(pageProblems()).toEqual([])
  })
})

describe('with fewer permissions', () => {
  test('a Manager can’t hand out what it lacks, and the cell says why', async () => {
    const noor = await console.person('Noor Haddad', 'Manager')
    noor.page.setDefaultTimeout(15_000)
    await open(noor, `/roles/${release.id}`)
    const locked = cell(noor.page, 'In the organisation', 'read SCIM')
    await locked.waitFor()
    await expectSoon(
      () => locked.getAttribute('aria-label'),
      expect.stringContaining('Your own role does not allow read on SCIM'),
    )
    await locked.click({ force: true })
    await settled(noor.page)
    expect(await locked.isChecked()).toBe(false)
    await screenshot(noor.page, 'role-manager', [1440])
  })

  test('a Developer sees roles, and nothing to change them', async () => {
    const ana = await console.person('Ana Duarte', 'Developer')
    ana.page.setDefaultTimeout(15_000)
    await open(ana, '/roles')
    await ana.page.getByRole('link', { name: 'Release manager' }).click()
    await cell(ana.page, 'In the organisation', 'read Apps').waitFor()
    const acts = ana.page.getByRole('button', { name: /^(Delete|Developer|Manager)$/ })
    await expectCount(acts.or(ana.page.getByRole('link', { name: 'Duplicate' })), 0)
    await cell(ana.page, 'In the organisation', 'read Teams').click({ force: true })
    await expectCount(ana.page.getByRole('region', { name: 'Changes not yet applied' }), 0)
    await expectAccessible(ana.page)
    expect(pageProblems()).toEqual([])
  })
})
