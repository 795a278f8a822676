import { randomBytes } from 'node:crypto'
import {
  type SsoChecks,
  SsoError,
  type SsoProfile,
  type SsoProvider,
} from '../../src/platform/sso/provider.ts'

/** Where the tests' providers send people back to. */
export const redirectUri = 'http://localhost:8080/service/auth/sso/idp/callback/'

/** What a new sign-in starts with. */
export const newChecks = (): SsoChecks => ({
  state: randomBytes(24).toString('base64url'),
  nonce: randomBytes(24).toString('base64url'),
  codeVerifier: randomBytes(32).toString('base64url'),
  redirectUri,
})

/** A whole sign-in at a provider that `visit` goes through. */
export async function signInAt(
  provider: SsoProvider,
  { visit }: { visit(url: URL): Promise<URL> },
): Promise<SsoProfile> {
  const checks = newChecks()
  return provider.profileOf(await visit(await provider.authorizationUrl(checks)), checks)
}

/** The failure that a step ends with, as its reason and its cause in one line; fails where it ends with none. */
export async function failureOf(step: Promise<unknown>): Promise<string> {
  try {
    await step
  } catch (error) {
    if (error instanceof SsoError) return `${error.reason}: ${error.cause}`
    throw error
  }
  throw new Error('The step did not fail.')
}
