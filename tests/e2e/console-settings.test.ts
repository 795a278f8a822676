import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { codeOf, stepOf } from '../../src/core/second-factor/totp-codes.ts'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { catchUp, plugIn, signInThrough, totpOf } from '../support/console-sign-in.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { expectCount, expectSoon, settled } from '../support/page-reads.ts'
import { PASSWORD } from '../support/sign-in.ts'

let console: ConsoleUnderTest
let idp: IdentityProvider
let ingrid: Visitor

beforeAll(async () => {
  console = await startConsole(async (origin) => {
    idp = await startIdentityProvider([`${origin}/service/auth/sso/keycloak/callback/`])
    return { ...idp.variables('keycloak'), KEYCLOAK_DISPLAY_NAME: 'Marlow SSO' }
  })
  ingrid = await console.founder()
})
afterAll(async () => {
  await console.close()
  await idp.close()
})
afterEach(() => expect(pageProblems()).toEqual([]))

const open = ({ page }: Visitor, section: string) => page.goto(`${console.origin}/settings/${section}`)

describe('what is the reader’s own', () => {
  test('a token is shown once, until it is kept, and revoked', async () => {
    const ana = await console.person('Ana Duarte', 'Developer')
    const { page } = ana
    await open(ana, 'tokens')
    await page.getByText('You have no token').waitFor()
    await page.keyboard.press('n')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByText('Write what the token is for.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('laptop')
    await page.getByLabel('For HTTP').check()
    await page.getByRole('button', { name: 'In 30 days' }).click()
    await expectAccessible(page)
    await screenshot(page, 'settings-token-new')
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy the token now' })
    const text = await dialog.getByRole('group', { name: 'The token laptop' }).locator('code').textContent()
    expect(text).toStartWith('kw_pat_')
    await expectAccessible(page)
    await screenshot(page, 'settings-token-once')
    await page.keyboard.press('Escape')
    await expectCount(dialog, 1)
    await dialog.getByLabel('I have a copy in a safe place').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /laptop/ }).waitFor()
    await settled(page)
    expect(await page.content()).not.toContain(text ?? '')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name', { exact: true }).fill('command line')
    await page.getByRole('button', { name: 'Create token' }).click()
    expect(
      await dialog.getByRole('group', { name: 'The token command line' }).locator('code').textContent(),
    ).toStartWith('pss_user:v1:')
    await dialog.getByLabel('I have a copy in a safe place').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await screenshot(page, 'settings-tokens')
    await page.getByRole('button', { name: 'Revoke laptop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke laptop' }).click()
    await page.getByText('The token laptop was revoked.').waitFor()
    await page.getByRole('row', { name: /laptop/ }).waitFor({ state: 'detached' })
    const me = await fetch(`${console.origin}/v1/me`, { headers: { authorization: `Bearer ${text}` } })
    expect(me.status).toBe(401)
  })

  test('sessions are told apart, and others are ended', async () => {
    const bo = await console.person('Bo Lindqvist', 'Developer')
    const other = await console.open()
    await other.goto(`${console.origin}/sign-in`)
    await signInThrough(other, bo.email)
    await other.getByRole('navigation', { name: 'Main' }).waitFor()
    await open(bo, 'sessions')
    await bo.page.getByText('this one').waitFor()
    await expectAccessible(bo.page)
    await screenshot(bo.page, 'settings-sessions')
    await bo.page.getByRole('button', { name: 'End all others' }).click()
    await bo.page.getByText('Your other sessions have ended.').waitFor()
    await bo.page.getByRole('button', { name: /^End the session/ }).waitFor({ state: 'detached' })
    await expectCount(bo.page.getByRole('table').getByRole('row'), 2)
    await other.getByRole('link', { name: /^Members/ }).click()
    await other.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    pageProblems()
  })

  test('a new password ends other sessions and keeps this one; a wrong one is told', async () => {
    const cleo = await console.person('Cleo Marsh', 'Developer')
    const { page } = cleo
    await open(cleo, 'profile')
    await page.getByLabel('Current password').fill('wrong password')
    await page.getByLabel('New password').fill('a brand new password')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('The current password is wrong.').waitFor()
    await expectAccessible(page)
    await screenshot(page, 'settings-profile')
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('Your password is changed.').waitFor()
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByText('this one').waitFor()
    await page.reload()
    await page.getByText('this one').waitFor()
  })

  test('a change that needs a recent sign-in asks for one in place, and goes on', async () => {
    const dana = await console.person('Dana Whitfield', 'Developer')
    const { page } = dana
    await plugIn(page)
    await open(dana, 'sign-in')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Laptop')
    console.ctx.clock.advance(601)
    await page.getByRole('button', { name: 'Add passkey', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add passkey', exact: true }).click()
    await page.locator('input[type=password]:focus').waitFor()
    await page.keyboard.type(PASSWORD)
    await expectAccessible(page)
    await screenshot(page, 'settings-sign-in-again')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
    await screenshot(page, 'settings-recovery-codes')
    await page.getByLabel('I have a copy in a safe place').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /Laptop/ }).waitFor()
    await expectAccessible(page)
    await screenshot(page, 'settings-sign-in')

    await page.getByRole('button', { name: 'Get new codes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Get new codes' }).click()
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
    await page.getByLabel('I have a copy in a safe place').check()
    await page.getByRole('button', { name: 'Done' }).click()
  })

  test('an account at a provider is linked, signs in, and is unlinked', async () => {
    const eli = await console.person('Eli Brandt', 'Developer')
    catchUp(console)
    idp.person = { sub: 'eli', email: 'eli@elsewhere.example', email_verified: true, name: 'Eli' }
    await open(eli, 'sign-in')
    await eli.page.getByRole('button', { name: 'Link Marlow SSO' }).click()
    await eli.page.getByRole('button', { name: 'Unlink Marlow SSO' }).waitFor()
    const page = await console.open()
    await page.goto(`${console.origin}/settings/profile`)
    await page.getByRole('button', { name: 'Continue with Marlow SSO' }).click()
    await page.getByText(eli.email).waitFor()
    await eli.page.getByRole('button', { name: 'Unlink Marlow SSO' }).click()
    await eli.page.getByRole('button', { name: 'Unlink', exact: true }).click()
    await eli.page.getByRole('button', { name: 'Link Marlow SSO' }).waitFor()
  })

  test('the theme and single keys are kept in this browser', async () => {
    const fay = await console.person('Fay Oduya', 'Developer')
    const { page } = fay
    await open(fay, 'console')
    await page.getByRole('radio', { name: 'Dark' }).check()
    await expectSoon(() => page.evaluate('document.documentElement.dataset.theme'), 'dark')
    await page.getByLabel('As the system has it').check()
    await page.getByLabel('Single keys do things').uncheck()
    await expectAccessible(page)
    await screenshot(page, 'settings-console')
    await page.getByRole('link', { name: 'Your tokens' }).click()
    await page.getByText('You have no token').waitFor()
    await page.keyboard.press('n')
    await expectCount(page.getByRole('button', { name: 'Create token' }), 0)
    await page.getByRole('link', { name: 'Sign-in, backup, version' }).click()
    await page.getByText('Ready: database and schema are as they must be.').waitFor()
    await expectAccessible(page)
  })
})

describe('what is the organisation’s', () => {
  test('is not offered to a Developer', async () => {
    const gus = await console.person('Gus Holm', 'Developer')
    await open(gus, 'ownership')
    await gus.page.waitForURL(/\/settings\/profile$/)
    await gus.page.getByRole('heading', { name: 'Profile', exact: true }).waitFor()
    await expectCount(gus.page.getByRole('link', { name: 'Ownership' }), 0)
  })

  test('its name is changed, and a change in between is shown, not overwritten', async () => {
    const { page } = ingrid
    await open(ingrid, 'organisation')
    await page.getByLabel('Name', { exact: true }).fill('Marlow Works')
    console.ctx.clock.advance(1)
    await ingrid.api('PUT', '/v1/organisation', { name: 'Marlow Holding' })
    await page.getByRole('button', { name: 'Rename' }).click()
    const dialog = page.getByRole('dialog', { name: 'The organisation was changed while you were editing' })
    await dialog.getByRole('row', { name: 'Name Marlow Holding Marlow Works' }).waitFor()
    await expectAccessible(page)
    await screenshot(page, 'settings-organisation')
    expect((await ingrid.api('GET', '/v1/organisation')).name).toBe('Marlow Holding')
    await dialog.getByRole('button', { name: 'Apply mine' }).click()
    await page.getByText('The organisation is called Marlow Works now.').waitFor()
    await page.locator('.org', { hasText: 'Marlow Works' }).waitFor()
  })

  test('it is handed over after its name is typed, with a recent sign-in and the second factor', async () => {
    const ivo = await console.person('Ivo Tanaka', 'Admin')
    const owner = await console.signIn(ingrid.email, ingrid.name)
    const { secret } = await totpOf(console, owner)
    const { page } = owner
    await open(owner, 'ownership')
    const transfer = page.getByRole('button', { name: 'Transfer ownership' })
    await transfer.press('Enter')
    await expectSoon(() => transfer.getAttribute('aria-description'), 'Choose the new Owner first.')
    await page.getByRole('combobox', { name: 'New Owner' }).click()
    await page.getByRole('option', { name: /Ivo Tanaka/ }).click()
    await page.getByLabel('Type the name of the organisation to confirm').fill('Marlow Works')
    await expectAccessible(page)
    await screenshot(page, 'settings-ownership')
    await transfer.click()
    const dialog = page.getByRole('dialog', { name: 'Make Ivo Tanaka the Owner?' })
    await dialog
      .getByLabel('Code of the authenticator app')
      .fill(codeOf(secret, stepOf(console.ctx.clock.now()) + 1))
    await dialog.getByRole('button', { name: 'Transfer ownership' }).click()
    await page.getByText('Ivo Tanaka is the Owner now, and you are an Admin.').waitFor()
    expect((await ingrid.api('GET', `/v1/members/${ivo.id}`)).role.name).toBe('Owner')
    await page.getByRole('link', { name: 'Ownership' }).waitFor({ state: 'detached' })
  })
})
