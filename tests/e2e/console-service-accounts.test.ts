import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { expectCount, expectSoon } from '../support/page-reads.ts'

type Account = { id: string; name: string; role: { name: string }; tokens: { id: string; name: string }[] }

let console: ConsoleUnderTest
let ingrid: Visitor
let roles: { id: string; name: string }[]
let deploy: Account
let production: string

beforeAll(async () => {
  console = await startConsole()
  ingrid = await console.founder()
  ingrid.page.setDefaultTimeout(15_000)
  await ingrid.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  roles = (await ingrid.api('GET', '/v1/roles')).data
  const ledger = await ingrid.api('POST', '/v1/apps', { name: 'Ledger' })
  production = ledger.environments.find(({ name }: { name: string }) => name === 'Production').id
  deploy = await newAccount('deploy-production')
  await ingrid.api('PUT', `/v1/service-accounts/${deploy.id}/access`, {
    apps: [{ id: ledger.id, environments: [production] }],
  })
  await newAccount('terraform')
})
afterAll(() => console.close())

const roleId = (name: string) => roles.find((role) => role.name === name)?.id
const newAccount = (name: string): Promise<Account> =>
  ingrid.api('POST', '/v1/service-accounts', { name, role_id: roleId('Service') })
const accountNow = (id: string): Promise<Account> => ingrid.api('GET', `/v1/service-accounts/${id}`)
const open = (visitor: Visitor, path: string) => visitor.page.goto(`${console.origin}${path}`)

describe('the list of service accounts', () => {
  test('shows role, tokens, last use and what each can open, and is searched and sorted on the server', async () => {
    const { page } = ingrid
    await open(ingrid, '/service-accounts')
    await page.getByRole('row', { name: /deploy-production Service 1 Never 1 environment/ }).waitFor()
    await page.getByRole('row', { name: /terraform Service 1 Never nothing yet/ }).waitFor()
    await expectAccessible(page)
    await screenshot(page, 'service-accounts')
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await page.waitForURL(/sort=name/)
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await page.waitForURL(/sort=-name/)
    await page.getByRole('row').nth(1).getByText('terraform').waitFor()
    await page.getByRole('searchbox').fill('deploy')
    await page.getByText('1 of 1').waitFor()
    await expectCount(page.getByRole('link', { name: 'terraform' }), 0)
    expect(pageProblems()).toEqual([])
  })
})

describe('a new service account', () => {
  test('gets a first token that is shown once, and leads to what it can open', async () => {
    const { page } = ingrid
    await open(ingrid, '/service-accounts')
    await page.getByRole('link', { name: 'New service account' }).waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('Name', { exact: true }).fill('nightly-backup')
    await page.getByRole('combobox', { name: 'Role' }).filter({ hasText: 'Service' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create the service account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy the token now' })
    await dialog.getByText(/^pss_service:v2:/).waitFor()
    // It opens nothing yet: the lines name what its maker can open.
    await dialog.getByText(/phase run --app Ledger --env \w+/).waitFor()
    await dialog.getByText('is Phase’s open-source command line').waitFor()
    await dialog.getByRole('checkbox', { name: 'I have a copy in a safe place' }).check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.waitForURL(/\/access$/)
    await page.getByRole('heading', { name: 'nightly-backup', level: 1 }).waitFor()
    await page.getByRole('checkbox', { name: /Ledger, Production/ }).waitFor()
    expect(pageProblems()).toEqual([])
  })
})

describe('tokens', () => {
  test('are made for the CLI unless another format is chosen, shown until they are kept, and work', async () => {
    const { page } = ingrid
    await open(ingrid, '/service-accounts')
    await page.getByRole('link', { name: 'deploy-production' }).click()
    await page.getByText('it opens Production of Ledger').waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name', { exact: true }).fill('GitHub Actions 2027')
    await expectSoon(() => page.getByRole('radio', { name: /^For the CLI/ }).isChecked(), true)
    await screenshot(page, 'token-new')
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy the token now' })
    const text = (await dialog.getByText(/^pss_service:v2:/).textContent()) ?? ''
    expect(text).toMatch(/^pss_service:v2(:[0-9a-f]{64}){4}$/)
    await dialog.getByText('phase run --app Ledger --env Production').waitFor()
    await expectAccessible(page)
    await screenshot(page, 'token-shown')
    await dialog.getByRole('button', { name: 'GitHub Actions', exact: true }).click()
    await dialog.getByText('- run: curl -fsSL https://pkg.phase.dev/install.sh | bash').waitFor()
    // The tests' own origin is a loopback one.
    await dialog.getByText('Keyward works on this machine alone').waitFor()
    await screenshot(page, 'token-actions')

    await page.keyboard.press('Escape')
    await expectCount(dialog, 1)
    await page.goBack().catch(() => null)
    await expectCount(dialog, 1)
    await dialog.getByRole('button', { name: 'Copy: The token' }).click()
    await expectSoon(() => page.evaluate('navigator.clipboard.readText()'), text)
    await dialog.getByRole('checkbox', { name: 'I have a copy in a safe place' }).check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /GitHub Actions 2027 CLI and SDKs Ingrid Solberg/ }).waitFor()
    await expectCount(page.getByText(text), 0)

    const bearer = text.split(':')[2]
    const used = await fetch(`${console.origin}/v1/me`, { headers: { authorization: `Bearer ${bearer}` } })
    expect([used.status, ((await used.json()) as Account).name]).toEqual([200, 'deploy-production'])
  })

  test('in the other format are bearers, and end when chosen', async () => {
    const { page } = ingrid
    await open(ingrid, `/service-accounts/${deploy.id}/tokens`)
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name', { exact: true }).fill('scripts')
    await page.getByRole('radio', { name: /^For HTTP/ }).check()
    await page.getByRole('button', { name: 'Never', exact: true }).click()
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy the token now' })
    await dialog.getByText(/^kw_sat_/).waitFor()
    await dialog.getByText('Never, until it is revoked').waitFor()
    await dialog.getByRole('button', { name: 'Terraform' }).click()
    await dialog.getByText('terraform plan').waitFor()
    await dialog.getByRole('checkbox', { name: 'I have a copy in a safe place' }).check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /^scripts HTTP .* Never Never/ }).waitFor()
    expect(pageProblems()).toEqual([])
  })

  test('that end soon or have ended are marked, and revoking one says what stops', async () => {
    const { page } = ingrid
    const make = (name: string, seconds: number) =>
      ingrid.api('POST', `/v1/service-accounts/${deploy.id}/tokens`, { name, expires_in: seconds })
    await make('soon', 2 * 86_400)
    await make('gone', 1)
    await page.waitForTimeout(1000)
    await open(ingrid, `/service-accounts/${deploy.id}/tokens`)
    await page.getByRole('row', { name: /^gone .* Expired/ }).waitFor()
    await page.getByRole('row', { name: /^soon .* in 2 days/i }).waitFor()
    await screenshot(page, 'tokens')
    await page.getByRole('button', { name: 'Revoke scripts' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke scripts?' })
    await dialog.getByText('Whatever uses it as deploy-production stops working at once').waitFor()
    await dialog.getByRole('button', { name: 'Revoke scripts' }).click()
    await page.getByText('The token scripts was revoked.').waitFor()
    await expectCount(page.getByRole('row', { name: /^scripts/ }), 0)
    expect((await accountNow(deploy.id)).tokens.map(({ name }) => name)).not.toContain('scripts')
  })
})

describe('a service account', () => {
  test('is given another role at once, with a way back; roles with global access can’t be chosen', async () => {
    const { page } = ingrid
    await open(ingrid, `/service-accounts/${deploy.id}/tokens`)
    await page.getByRole('combobox', { name: /^Role of deploy-production/ }).click()
    const admin = page.getByRole('option', { name: /Admin/ })
    await expectSoon(() => admin.getAttribute('aria-disabled'), 'true')
    await admin.getByText('cannot hold a role with global access').waitFor()
    await page.getByRole('option', { name: /Developer/ }).click()
    await page.getByText('deploy-production has the role Developer now.').waitFor()
    expect((await accountNow(deploy.id)).role.name).toBe('Developer')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('deploy-production has the role Service now.').waitFor()
    expect((await accountNow(deploy.id)).role.name).toBe('Service')
  })

  test('that somebody else gave another role meanwhile keeps it, and both are shown', async () => {
    const { page } = ingrid
    const contended = await newAccount('contended')
    await open(ingrid, `/service-accounts/${contended.id}/tokens`)
    await page.getByRole('combobox', { name: /^Role of contended/ }).waitFor()
    await ingrid.api('PUT', `/v1/service-accounts/${contended.id}`, { role_id: roleId('Manager') })
    await page.getByRole('combobox', { name: /^Role of contended/ }).click()
    await page.getByRole('option', { name: /Developer/ }).click()
    const dialog = page.getByRole('dialog', { name: 'The role of contended was changed meanwhile' })
    await dialog.getByRole('row', { name: 'Role Manager Developer' }).waitFor()
    await dialog.getByRole('button', { name: 'Keep theirs' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await accountNow(contended.id)).role.name).toBe('Manager')
  })

  test('is renamed, unless somebody else has changed it meanwhile', async () => {
    const { page } = ingrid
    const account = await newAccount('old name')
    await open(ingrid, `/service-accounts/${account.id}/tokens`)
    await page.getByRole('button', { name: 'More for old name' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await ingrid.api('PUT', `/v1/service-accounts/${account.id}`, { name: 'their name' })
    await page.getByLabel('New name').fill('my name')
    await page.getByRole('button', { name: 'Rename' }).click()
    const dialog = page.getByRole('dialog', {
      name: 'This service account was changed while you were editing',
    })
    await dialog.getByRole('row', { name: 'Name their name my name' }).waitFor()
    expect((await accountNow(account.id)).name).toBe('their name')
    await dialog.getByRole('button', { name: 'Apply mine' }).click()
    await page.getByRole('heading', { name: 'my name', level: 1 }).waitFor()
    expect((await accountNow(account.id)).name).toBe('my name')
  })

  test('is given access in the same matrix as members, and its activity tells of it', async () => {
    const { page } = ingrid
    const account = await newAccount('reader')
    await open(ingrid, `/service-accounts/${account.id}/access`)
    await page.getByRole('checkbox', { name: /Ledger, Staging/ }).click()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('region', { name: 'Changes not yet applied' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('button', { name: 'Done to it' }).click()
    await page.getByText('Ingrid Solberg opened Staging of Ledger to reader').waitFor()
    await expectAccessible(page)
    expect(pageProblems()).toEqual([])
  })

  test('is deleted once it is said what stops working', async () => {
    const { page } = ingrid
    const account = await newAccount('short-lived')
    await open(ingrid, `/service-accounts/${account.id}/tokens`)
    await page.getByRole('button', { name: 'More for short-lived' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete short-lived?' })
    await dialog.getByText('Its token stops working at once').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Delete short-lived' }).click()
    await page.getByText('The service account short-lived was deleted.').waitFor()
    await expectCount(page.getByRole('link', { name: 'short-lived' }), 0)
    await expect(accountNow(account.id)).rejects.toThrow('404')
  })
})

describe('with fewer permissions', () => {
  test('a Manager without the environment is refused a token with the API’s sentence, and keeps what was typed', async () => {
    const noor = await console.person('Noor Haddad', 'Manager')
    noor.page.setDefaultTimeout(15_000)
    await open(noor, `/service-accounts/${deploy.id}/tokens`)
    await noor.page.getByRole('button', { name: 'New token' }).click()
    await noor.page.getByLabel('Name', { exact: true }).fill('mine')
    await noor.page.getByRole('button', { name: 'Create token' }).click()
    await noor.page.getByRole('alert').filter({ hasText: "can access environments that you can't" }).waitFor()
    await expectSoon(() => noor.page.getByLabel('Name', { exact: true }).inputValue(), 'mine')
  })

  test('a Developer is shown no service accounts; a reader of them alone sees nothing to change', async () => {
    const ana = await console.person('Ana Duarte', 'Developer')
    ana.page.setDefaultTimeout(15_000)
    await open(ana, '/service-accounts')
    await ana.page.getByRole('alert').waitFor()
    await expectCount(ana.page.getByRole('link', { name: 'Service accounts' }), 0)

    await ingrid.api('POST', '/v1/roles', {
      name: 'Reader',
      permissions: { permissions: { ServiceAccounts: ['read'] }, app_permissions: {} },
    })
    const bram = await console.person('Bram de Wit', 'Reader')
    bram.page.setDefaultTimeout(15_000)
    await open(bram, '/service-accounts')
    await bram.page.getByRole('link', { name: 'deploy-production' }).click()
    await bram.page.getByRole('heading', { name: 'deploy-production', level: 1 }).waitFor()
    for (const name of ['New token', 'Revoke', 'More for deploy-production'])
      await expectCount(bram.page.getByRole('button', { name }), 0)
    await expectCount(bram.page.getByRole('link', { name: 'Activity' }), 0)
  })
})
