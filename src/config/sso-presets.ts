import type { ClientAuthentication, EmailVerification } from '../platform/sso/provider-config.ts'

/**
 * What is known of a provider by its name. Where there is no issuer, `<NAME>_ISSUER` is required, and `form` shows what
 * it looks like.
 */
export type SsoPreset = Readonly<{
  name: string
  kind?: 'github'
  issuer?: string
  form?: string
  scopes?: string
  emailVerification?: EmailVerification
  clientAuthentication?: ClientAuthentication
}>

/** The providers that need no `<NAME>_DISPLAY_NAME` and `<NAME>_SCOPES`. Every other name is an OpenID issuer. */
export const SSO_PRESETS: ReadonlyMap<string, SsoPreset> = new Map(
  Object.entries<SsoPreset>({
    google: { name: 'Google', issuer: 'https://accounts.google.com' },
    github: {
      name: 'GitHub',
      kind: 'github',
      issuer: 'https://github.com',
      scopes: 'read:user user:email',
    },
    // Its address claim is whatever a tenant's administrator writes: only xms_edov says that it was verified.
    microsoft: {
      name: 'Microsoft',
      form: 'https://login.microsoftonline.com/<tenant id>/v2.0, or https://login.microsoftonline.com',
      emailVerification: 'xms_edov',
    },
    // Doorkeeper, on which GitLab builds, does not decode the header of client_secret_basic.
    gitlab: { name: 'GitLab', issuer: 'https://gitlab.com', clientAuthentication: 'post' },
    okta: { name: 'Okta', form: 'https://<organisation>.okta.com' },
    keycloak: { name: 'Keycloak', form: 'https://<host>/realms/<realm>' },
    authentik: { name: 'authentik', form: 'https://<host>/application/o/<application>/' },
    // Authelia and ZITADEL take a client's secret in the one way alone that the client is registered with.
    authelia: { name: 'Authelia', form: 'https://<host>', clientAuthentication: 'basic' },
    jumpcloud: { name: 'JumpCloud', issuer: 'https://oauth.id.jumpcloud.com/' },
    auth0: { name: 'Auth0', form: 'https://<tenant>.<region>.auth0.com/' },
    zitadel: { name: 'ZITADEL', form: 'https://<instance>.zitadel.cloud', clientAuthentication: 'basic' },
  }),
)
