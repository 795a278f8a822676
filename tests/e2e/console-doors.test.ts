import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { codeOf, stepOf } from '../../src/core/second-factor/totp-codes.ts'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
} from '../support/console-browser.ts'
import { signInThrough, totpOf } from '../support/console-sign-in.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { PASSWORD } from '../support/sign-in.ts'

let console: ConsoleUnderTest

afterEach(() => expect(pageProblems()).toEqual([]))

describe('the first run', () => {
  beforeEach(async () => {
    console = await startConsole({ SETUP_TOKEN: 'open sesame' })
  })
  afterEach(() => console.close())

  async function fill(page: Page) {
    await page.getByLabel('Organisation').fill('Marlow Instruments')
    await page.getByLabel('Your name').fill('Ingrid Solberg')
    await page.getByLabel('E-mail').fill('ingrid@marlow.example')
    await page.getByLabel('Password').fill(PASSWORD)
  }

  test('takes the set-up token from the link, out of the address, and ends signed in', async () => {
    const page = await console.open()
    await page.goto(`${console.origin}/#setup_token=open%20sesame`)
    await page.waitForURL(/\/setup$/)
    expect(await page.getByLabel('Set-up token').count()).toBe(0)
    await expectAccessible(page)
    await screenshot(page, 'setup')
    await page.getByRole('button', { name: 'Create the organisation' }).click()
    await page.getByText('Write the name of the organisation.').waitFor()
    expect(await page.getByLabel('Organisation').evaluate((field) => field === document.activeElement)).toBe(
      true,
    )
    await fill(page)
    await page.getByRole('button', { name: 'Create the organisation' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    await page.getByText('Marlow Instruments').first().waitFor()
    expect(await page.evaluate(() => JSON.stringify([history.state, { ...localStorage }]))).not.toContain(
      'sesame',
    )
    await page.goto(`${console.origin}/setup`)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  })

  test('asks for the token where the link has none, or a wrong one, and clears nothing', async () => {
    const page = await console.open()
    await page.goto(`${console.origin}/setup#setup_token=wrong`)
    await fill(page)
    await page.getByRole('button', { name: 'Create the organisation' }).click()
    await page.getByText('The first account needs setup_token').waitFor()
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ingrid@marlow.example')
    await page.getByLabel('Set-up token').fill('open sesame')
    await page.getByRole('button', { name: 'Create the organisation' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  })
})

describe('signing in', () => {
  let idp: IdentityProvider

  beforeAll(async () => {
    console = await startConsole(async (origin) => {
      idp = await startIdentityProvider([`${origin}/service/auth/sso/keycloak/callback/`])
      return { ...idp.variables('keycloak'), KEYCLOAK_DISPLAY_NAME: 'Marlow SSO' }
    })
    await console.founder()
  })
  afterAll(async () => {
    await console.close()
    await idp.close()
  })

  test('a wrong password is told, nothing is cleared, and the organisation is not named', async () => {
    const page = await console.open()
    await page.goto(`${console.origin}/sign-in`)
    await page.getByLabel('E-mail').fill('ingrid@marlow.example')
    await page.getByLabel('Password').fill('wrong-password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ingrid@marlow.example')
    expect(await page.getByRole('main').textContent()).not.toContain('Marlow Instruments')
    await expectAccessible(page)
    await screenshot(page, 'sign-in')
    await page.getByLabel('E-mail').fill('ingrid')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Write a whole address').waitFor()
  })

  test('a code of the app completes it, a wrong one does not, and a recovery code does instead', async () => {
    const ana = await console.person('Ana Duarte', 'Developer')
    const { secret, recoveryCodes } = await totpOf(console, ana)
    const page = await console.open()
    await page.goto(`${console.origin}/sign-in?next=%2Fsettings%2Fprofile`)
    await signInThrough(page, ana.email)
    const code = page.getByLabel('Code of the authenticator app')
    await code.fill('000000')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('The code is wrong, or was used already.').waitFor()
    await expectAccessible(page)
    await screenshot(page, 'sign-in-factor')
    await code.fill(codeOf(secret, stepOf(console.ctx.clock.now()) + 1))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()

    const other = await console.open()
    await other.goto(`${console.origin}/sign-in`)
    await signInThrough(other, ana.email)
    await other.getByRole('button', { name: 'Use a recovery code instead' }).click()
    await other.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '')
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.getByRole('navigation', { name: 'Main' }).waitFor()
  })

  test('a provider leads away and back to where the reader was going', async () => {
    idp.person = { sub: 'ingrid', email: 'ingrid@marlow.example', email_verified: true, name: 'Ingrid' }
    const page = await console.open()
    await page.goto(`${console.origin}/settings/sessions`)
    await page.getByRole('button', { name: 'Continue with Marlow SSO' }).click()
    await page.waitForURL(`${console.origin}/**`)
    const heading = page.getByRole('heading', { name: 'Sessions' })
    await heading
      .or(page.getByRole('heading', { name: 'Sign-in failed' }))
      .first()
      .waitFor()
    // The address has an account with a password already, which is linked in the settings.
    expect(await page.locator('main').textContent()).toContain('settings')
  })

  test('somebody new signs in at a provider, and belongs to no organisation', async () => {
    idp.person = { sub: 'bela', email: 'bela@marlow.example', email_verified: true, name: 'Bela' }
    const page = await console.open()
    await page.goto(`${console.origin}/sign-in`)
    await page.getByRole('button', { name: 'Continue with Marlow SSO' }).click()
    await page.getByRole('heading', { name: 'You belong to no organisation' }).waitFor()
    await page.getByText('bela@marlow.example').waitFor()
    await expectAccessible(page)
    await screenshot(page, 'no-organisation')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
  })

  test('somebody who is signed in is led on from the sign-in, and nowhere else', async () => {
    const bo = await console.person('Bo Lindqvist', 'Developer')
    await bo.page.goto(`${console.origin}/sign-in?next=https%3A%2F%2Fevil.example`)
    await bo.page.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(new URL(bo.page.url()).origin).toBe(console.origin)
  })
})
