import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { codeOf, stepOf } from '../../src/core/second-factor/totp-codes.ts'
import {
  type ConsoleUnderTest,
  expectAccessible,
  pageProblems,
  screenshot,
  startConsole,
  type Visitor,
} from '../support/console-browser.ts'
import { catchUp, inviteLink, plugIn, signInThrough, totpOf } from '../support/console-sign-in.ts'
import { eventually } from '../support/eventually.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { lastLink, runJobs } from '../support/jobs.ts'
import { expectCount, expectSoon, settled } from '../support/page-reads.ts'
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
    await page.getByLabel('Organisation').waitFor()
    await expectCount(page.getByLabel('Set-up token'), 0)
    await expectAccessible(page)
    await screenshot(page, 'setup')
    await page.getByRole('button', { name: 'Create the organisation' }).click()
    await page.getByText('Write the name of the organisation.').waitFor()
    await expectSoon(() => page.evaluate('document.activeElement.name'), 'organisation_name')
    await fill(page)
    await page.getByRole('button', { name: 'Create the organisation' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    await page.getByText('Marlow Instruments').first().waitFor()
    expect(await page.evaluate('JSON.stringify([history.state, { ...localStorage }])')).not.toContain(
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
    await expectSoon(() => page.getByLabel('E-mail').inputValue(), 'ingrid@marlow.example')
    await page.getByLabel('Set-up token').fill('open sesame')
    await page.getByRole('button', { name: 'Create the organisation' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  })
})

describe('signing in', () => {
  let idp: IdentityProvider
  let ingrid: Visitor
  const inviteTo = (email: string) => inviteLink(ingrid, email)

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

  test('a wrong password is told, nothing is cleared, and the organisation is not named', async () => {
    const page = await console.open()
    await page.goto(`${console.origin}/sign-in`)
    await page.getByLabel('E-mail').fill('ingrid@marlow.example')
    await page.getByLabel('Password').fill('wrong-password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await expectSoon(() => page.getByLabel('E-mail').inputValue(), 'ingrid@marlow.example')
    await settled(page)
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

  test('a provider joins who is invited, and leads back to where the reader was going', async () => {
    catchUp(console)
    idp.person = { sub: 'cleo', email: 'cleo@marlow.example', email_verified: true, name: 'Cleo Marsh' }
    const page = await console.open()
    await page.goto(await inviteTo('cleo@marlow.example'))
    await page.getByRole('button', { name: 'Continue with Marlow SSO' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()

    const later = await console.open()
    catchUp(console)
    await later.goto(`${console.origin}/settings/sessions`)
    await later.getByRole('button', { name: 'Continue with Marlow SSO' }).click()
    await later.getByRole('heading', { name: 'Sessions' }).waitFor()
    expect(new URL(later.url()).pathname).toBe('/settings/sessions')
  })

  test('somebody new signs in at a provider, and belongs to no organisation', async () => {
    catchUp(console)
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

  test('a passkey signs in by itself: by its button, and from the autofill of the address', async () => {
    const dana = await console.person('Dana Whitfield', 'Developer')
    const { page } = dana
    const { session, authenticatorId } = await plugIn(page)
    const touch = (enabled: boolean) =>
      session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    const signOut = async () => {
      await page.getByRole('button', { name: /Dana Whitfield/ }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
    }
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await page.addInitScript(RECORD_OFFERS)
    await page.goto(`${console.origin}/settings/sign-in`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Laptop')
    await page.getByRole('button', { name: 'Add passkey', exact: true }).click()
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
    await page.getByLabel('I have a copy in a safe place').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /Laptop/ }).waitFor()

    // Nobody touches the authenticator: the offer waits, until another way takes its place.
    await touch(false)
    await signOut()
    await page.waitForURL(/\/sign-in/)
    await page.getByLabel('E-mail').waitFor()
    await eventually('passkeys are offered', async () => (await offersOf(page)).includes(false))
    await expectSoon(() => page.getByLabel('E-mail').getAttribute('autocomplete'), 'username webauthn')
    await touch(true)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await navigation.waitFor()
    await expectSoon(() => offersOf(page), expect.not.arrayContaining([false]))

    await touch(false)
    await signOut()
    await page.waitForURL(/\/sign-in/)
    await page.getByLabel('E-mail').waitFor()
    await eventually('passkeys are offered', async () => (await offersOf(page)).includes(false))
    await signInThrough(page, dana.email)
    await page.getByText('Your browser asks for the passkey of this account.').waitFor()
    await expectSoon(() => offersOf(page), expect.not.arrayContaining([false]))
    await touch(true)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await navigation.waitFor()

    const chosen = page.waitForResponse(/\/passkeys\/sign-in/)
    await signOut()
    expect((await chosen).status()).toBe(200)
    await navigation.waitFor()

    await page.goto(`${console.origin}/settings/sign-in`)
    await page.getByRole('button', { name: 'Remove Laptop' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('You have none yet.').first().waitFor()
  })
})

/** Keeps what would take each offer of passkeys back. */
const RECORD_OFFERS = `
  globalThis.offers = []
  const get = navigator.credentials.get.bind(navigator.credentials)
  navigator.credentials.get = (options) => {
    if (options.mediation === 'conditional') offers.push(options.signal)
    return get(options)
  }`

/** Whether each offer of passkeys in the autofill was taken back. */
const offersOf = (page: Page) => page.evaluate<boolean[]>('offers.map(({ aborted }) => aborted)')

describe('an invite', () => {
  let ingrid: Visitor

  beforeAll(async () => {
    console = await startConsole()
    ingrid = await console.founder()
  })
  afterAll(() => console.close())

  test('makes an account and a member, with its token out of the address, once', async () => {
    const link = await inviteLink(ingrid, 'eli@marlow.example')
    const page = await console.open()
    await page.goto(link)
    await page.getByRole('heading', { name: 'Join Marlow Instruments' }).waitFor()
    expect(page.url()).toBe(`${console.origin}/invite`)
    await page.getByText('eli@marlow.example').waitFor()
    await expectAccessible(page)
    await screenshot(page, 'invite')
    await page.getByLabel('Your name').fill('Eli Brandt')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Join Marlow Instruments' }).click()
    await page.getByText('A password needs at least 8 characters.').waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Join Marlow Instruments' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()

    const again = await console.open()
    await again.goto(link)
    await again.getByRole('heading', { name: 'This invite can’t be used' }).waitFor()
    await expectAccessible(again)
    await again.reload()
    await again.getByRole('heading', { name: 'This invite can’t be used' }).waitFor()
  })

  test('is refused to somebody else who is signed in, and taken by the one who is invited', async () => {
    const fay = await console.person('Fay Oduya', 'Developer')
    await ingrid.api('DELETE', `/v1/members/${fay.id}`)
    const link = await inviteLink(ingrid, fay.email)
    const gus = await console.person('Gus Holm', 'Developer')
    await gus.page.goto(link)
    await gus.page.getByText('which is another account').waitFor()
    await gus.page.getByRole('button', { name: 'Sign out' }).click()
    await gus.page.getByRole('button', { name: 'I have an account here already' }).click()
    await signInThrough(gus.page, fay.email)
    await gus.page.getByRole('navigation', { name: 'Main' }).waitFor()
    await gus.page.getByText('Fay Oduya').first().waitFor()
  })

  test('says so where the address has an account', async () => {
    const hal = await console.person('Hal Reyes', 'Developer')
    await ingrid.api('DELETE', `/v1/members/${hal.id}`)
    const page = await console.open()
    await page.goto(await inviteLink(ingrid, hal.email))
    await page.getByLabel('Your name').fill('Hal Reyes')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Join Marlow Instruments' }).click()
    await page.getByText('An account with this e-mail address already exists.').waitFor()
  })

  test('another link that is pasted over the address is looked up, too', async () => {
    const page = await console.open()
    await page.goto(`${console.origin}/invite#nothing`)
    await page.getByRole('heading', { name: 'This invite can’t be used' }).waitFor()
    const { hash } = new URL(await inviteLink(ingrid, 'ivo@marlow.example'))
    await page.evaluate(`location.assign(${JSON.stringify(hash)})`)
    await page.getByText('ivo@marlow.example').waitFor()
    expect(page.url()).toBe(`${console.origin}/invite`)
  })
})

describe('links by mail', () => {
  beforeAll(async () => {
    console = await startConsole({ SMTP_HOST: 'mail.example', SMTP_FROM: 'keyward@marlow.example' })
    await console.founder()
  })
  afterAll(() => console.close())

  test('an address is verified before the first sign-in, with a link that may be mailed again', async () => {
    const email = 'jun@marlow.example'
    const body = JSON.stringify({ email, password: PASSWORD })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${console.origin}/service/auth/password/register/`, { method: 'POST', headers, body })
    await runJobs(console.ctx)
    const page = await console.open()
    await page.goto(`${console.origin}/sign-in`)
    await signInThrough(page, email)
    await page.getByText('Verify your e-mail address first').waitFor()
    console.ctx.clock.advance(120)
    await page.getByRole('button', { name: 'Mail the link again' }).click()
    await page.getByText(`If ${email} waits for it`).waitFor()
    await runJobs(console.ctx)
    const { url, token } = lastLink(console.ctx)
    await page.goto(`${url}#${token}`)
    await page.getByRole('heading', { name: 'Your address is verified' }).waitFor()
    expect(page.url()).toBe(`${console.origin}/verify-email`)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Go to the sign-in' }).click()
    await signInThrough(page, email)
    await page.getByRole('heading', { name: 'You belong to no organisation' }).waitFor()

    const again = await console.open()
    await again.goto(`${url}#${token}`)
    await again.getByRole('heading', { name: 'This link can’t be used' }).waitFor()
    await expectAccessible(again)
  })

  test('a forgotten password is replaced by the link in a mail', async () => {
    const page = await console.open()
    await page.goto(`${console.origin}/sign-in`)
    await page.locator('input[type=email]:focus').waitFor()
    await page.keyboard.press('Tab')
    await page.locator('input[type=password]:focus').waitFor()
    await page.getByRole('link', { name: 'Forgot it?' }).click()
    await page.getByRole('heading', { name: 'Forgotten password' }).waitFor()
    await page.getByLabel('E-mail').fill('ingrid@marlow.example')
    await page.getByRole('button', { name: 'Mail the link' }).click()
    await page.getByRole('heading', { name: 'Look into your mails' }).waitFor()
    await runJobs(console.ctx)
    const { url, token } = lastLink(console.ctx)
    await page.goto(`${url}#${token}`)
    await page.getByLabel('New password').fill('another long password')
    await expectAccessible(page)
    await screenshot(page, 'reset-password')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('heading', { name: 'Your password is set' }).waitFor()
    await runJobs(console.ctx)
    await page.getByRole('link', { name: 'Go to the sign-in' }).click()
    await signInThrough(page, 'ingrid@marlow.example', 'another long password')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    const again = await console.open()
    await again.goto(`${url}#${token}`)
    await again.getByLabel('New password').fill('another long password')
    await again.getByRole('button', { name: 'Set the password' }).click()
    await again.getByRole('heading', { name: 'This link can’t be used' }).waitFor()
  })
})
