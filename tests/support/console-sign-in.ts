import type { CDPSession, Page } from 'playwright-core'
import { codeOf, stepOf } from '../../src/core/second-factor/totp-codes.ts'
import type { ConsoleUnderTest, Visitor } from './console-browser.ts'
import { PASSWORD } from './sign-in.ts'

/** Types address and password into the sign-in of a page, and sends them. */
export async function signInThrough(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Sets up an authenticator app for a person, with the person's own session; gives its secret and the recovery codes. */
export async function totpOf(
  { ctx, origin }: ConsoleUnderTest,
  { page }: Visitor,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  await page.goto(`${origin}/sign-in/second-factor`)
  const { secret } = await callOf(page, 'totp/', {})
  const { recoveryCodes } = await callOf(page, 'totp/confirm/', {
    totp: codeOf(secret, stepOf(ctx.clock.now())),
  })
  return { secret, recoveryCodes }
}

/** Calls the API as a page does, with its cookies. */
export const callOf = (page: Page, path: string, body: object) =>
  page.evaluate(
    async ([path, body]) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`/service/auth/${path}`, { method: 'POST', headers, body })
      const text = await response.text()
      return text === '' ? null : JSON.parse(text)
    },
    [path, JSON.stringify(body)] as const,
  )

/** Plugs an authenticator into a page: with a fingerprint that is recognised. */
export async function plugIn(page: Page): Promise<{ session: CDPSession; authenticatorId: string }> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { session, authenticatorId }
}

/** The link of an invite to an address, as a Developer. */
export async function inviteLink({ api }: Visitor, email: string): Promise<string> {
  const roles = (await api('GET', '/v1/roles')).data as { id: string; name: string }[]
  const role_id = roles.find(({ name }) => name === 'Developer')?.id
  return (await api('POST', '/v1/members/invites', { email, role_id })).inviteUrl
}

/** Sets the clock of the server to that of the machine, which identity providers have. */
export function catchUp({ ctx }: ConsoleUnderTest): void {
  ctx.clock.advance(Math.max(0, (Date.now() - ctx.clock.now().getTime()) / 1000))
}
