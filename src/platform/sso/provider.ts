/**
 * Who signed in, as the provider says. `issuer` and `subject` together identify the person for good; the address is
 * what it is today. `email` is null where the provider gives none that can be used, and `emailVerified` is then false.
 */
export type SsoProfile = Readonly<{
  issuer: string
  subject: string
  email: string | null
  emailVerified: boolean
  /** At most 128 characters, without control characters; empty where the provider gives none. */
  fullName: string
}>

/** What one sign-in was started with: kept by the caller, bound to the browser, used once. */
export type SsoChecks = Readonly<{
  state: string
  nonce: string
  codeVerifier: string
  /** Absolute, without query: the same text at both steps. */
  redirectUri: string
}>

/** An identity provider. Each of the two steps ends within 10 seconds, once it is the caller's turn. */
export type SsoProvider = Readonly<{
  id: string
  name: string
  /**
   * Whether the provider answered when it was last asked; true until it was first asked. Returns at once, and asks it
   * again in the background where that was a minute ago.
   */
  isAvailable(): boolean
  /** Where to send the browser. Throws SsoError where the provider can't be reached. */
  authorizationUrl(checks: SsoChecks): Promise<URL>
  /**
   * Who signed in: checks the query of the callback, exchanges its code and checks what comes back. Throws SsoError.
   * An address that is missing or not verified is no error here. `site` is where the request comes from: sites take turns.
   */
  profileOf(callback: URL, checks: SsoChecks, site?: string): Promise<SsoProfile>
}>

/**
 * Why a sign-in ended: the provider can't be reached; the person or the provider declined it; the provider refuses
 * this deployment, so the settings of one of them are wrong; something that was received is not what it should be;
 * the provider does not vouch for the address.
 */
export type SsoFailure =
  | 'provider-unavailable'
  | 'declined'
  | 'refused-by-provider'
  | 'invalid-response'
  | 'unverified-address'

/** A sign-in that can't go on. `cause` is a sentence for the operator's log, without tokens and e-mail addresses. */
export class SsoError extends Error {
  override readonly name = 'SsoError'
  readonly reason: SsoFailure
  override readonly cause: string

  constructor(reason: SsoFailure, cause: string) {
    super(`Single sign-on failed (${reason}): ${cause}`)
    this.reason = reason
    this.cause = cause
  }
}
