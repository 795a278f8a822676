/** How the addresses of an identity provider are known to be verified. */
export type EmailVerification = 'email_verified' | 'xms_edov'

/** How the client secret is sent to the token endpoint; null for what the provider says it supports. */
export type ClientAuthentication = 'basic' | 'post' | null

/** One identity provider, with everything that its preset leaves out filled in. */
export type SsoProviderConfig = Readonly<{
  kind: 'openid' | 'github'
  /** In routes and redirect addresses: lower case, digits and hyphens. */
  id: string
  /** What people read on the button. */
  name: string
  /** An https URL (http only where the deployment allows it), exactly as the provider states it. */
  issuer: string
  clientId: string
  clientSecret: string
  scopes: readonly string[]
  emailVerification: EmailVerification
  clientAuthentication: ClientAuthentication
}>

/** Single sign-on; `ca` is PEM text of authorities that are trusted beside the system's. */
export type SsoConfig = Readonly<{
  providers: readonly SsoProviderConfig[]
  ca: string | null
}>
