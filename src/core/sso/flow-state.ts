import { createHmac, randomBytes } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { SsoChecks } from '../../platform/sso/provider.ts'
import { latestNow } from '../clock-skew.ts'
import { isSameText } from '../constant-time.ts'

/** How long a sign-in at the provider may take. */
export const FLOW_SECONDS = 10 * 60

/** What the browser is sent to a provider for. */
export type Purpose =
  | Readonly<{ kind: 'sign-in'; invite: string | null; hasSetupToken: boolean }>
  | Readonly<{ kind: 'link'; userId: string; sessionId: string }>

/** What is to be done when the browser comes back from a provider. */
export type Flow = Readonly<{ provider: string; returnTo: string; purpose: Purpose; expiresAt: Date }>

/** A new state: what the provider sends back unchanged. It also names the browser's cookie. */
export const newState = (): string => randomBytes(16).toString('base64url')

/** Whether a text has the form of a state. */
export const isState = (text: string): boolean => /^[A-Za-z0-9_-]{22}$/.test(text)

/** When a flow that begins now ends. */
export const endOfFlow = (ctx: Context): Date =>
  new Date((Math.floor(ctx.clock.now().getTime() / 1000) + FLOW_SECONDS) * 1000)

/** The cookie's value: the flow and an HMAC under SECRET_KEY, which is bound to the state. */
export function sealFlow(ctx: Context, state: string, flow: Flow): string {
  const { provider, returnTo, purpose, expiresAt } = flow
  const stored = { provider, returnTo, purpose, expires: expiresAt.getTime() / 1000 }
  const payload = Buffer.from(JSON.stringify(stored)).toString('base64url')
  return `${payload}.${macOf(ctx, `state/${state}/${payload}`)}`
}

/**
 * The flow of this state and provider, from the values of the browser's cookies of this name; null when none is one that
 * `sealFlow` made, or when it has expired.
 */
export function unsealFlow(
  ctx: Context,
  state: string,
  provider: string,
  cookies: readonly string[],
): Flow | null {
  const now = ctx.clock.now()
  const latest = latestNow(now).getTime() + FLOW_SECONDS * 1000
  for (const cookie of cookies) {
    const [payload = '', mac = '', ...rest] = cookie.split('.')
    if (rest.length > 0 || !isSameText(mac, macOf(ctx, `state/${state}/${payload}`))) continue
    const { expires, ...flow } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Stored
    const expiresAt = new Date(expires * 1000)
    const isValid = expiresAt > now && expiresAt.getTime() <= latest
    if (isValid && flow.provider === provider) return { ...flow, expiresAt }
  }
  return null
}

/**
 * What binds the end of a sign-in to its start. Nonce and code verifier follow from the state and SECRET_KEY, so that no
 * place holds them.
 */
export const checksOf = (ctx: Context, state: string, provider: string): SsoChecks => ({
  state,
  nonce: macOf(ctx, `nonce/${provider}/${state}`),
  codeVerifier: macOf(ctx, `code-verifier/${provider}/${state}`),
  redirectUri: redirectUri(ctx, provider),
})

/** The address that a provider sends browsers back to, as it must be registered there. */
export const redirectUri = (ctx: Context, provider: string): string =>
  `${ctx.config.origin}/service/auth/sso/${provider}/callback/`

type Stored = Omit<Flow, 'expiresAt'> & Readonly<{ expires: number }>

const macOf = (ctx: Context, text: string): string =>
  createHmac('sha256', ctx.config.secretKey).update(`keyward/sso/${text}`).digest('base64url')
