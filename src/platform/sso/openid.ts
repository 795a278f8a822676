import * as openid from 'openid-client'
import type { Clock } from '../clock.ts'
import { type Claims, emailOf, fullNameOf, subjectOf } from './claims.ts'
import { callbackFailure, shown, timestampCause } from './failures.ts'
import { createIssuer, MAX_AGE, RECENT, type Surroundings } from './issuer.ts'
import { type SsoChecks, SsoError, type SsoProfile, type SsoProvider } from './provider.ts'
import type { SsoProviderConfig } from './provider-config.ts'

/** A provider of OpenID Connect: authorization code with PKCE, state and nonce. */
export function createOpenIdProvider(config: SsoProviderConfig, surroundings: Surroundings): SsoProvider {
  const issuer = createIssuer(config, surroundings)
  const { clock, stepMilliseconds } = surroundings
  return {
    id: config.id,
    name: config.name,
    isAvailable: issuer.isAvailable,
    async authorizationUrl(checks) {
      const client = await issuer.client(AbortSignal.timeout(stepMilliseconds), RECENT)
      return openid.buildAuthorizationUrl(client, await authorizationParameters(config, checks))
    },
    async profileOf(callback, checks) {
      try {
        const client = await issuer.client(AbortSignal.timeout(stepMilliseconds), MAX_AGE)
        const tokens = await openid.authorizationCodeGrant(client, responseOf(callback, checks), {
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          pkceCodeVerifier: checks.codeVerifier,
          idTokenExpected: true,
        })
        const claims = requireClaims(tokens.claims(), client, config, clock)
        return await profileFrom(client, config, claims, tokens.access_token)
      } catch (error) {
        throw callbackFailure(error, config, checks.redirectUri)
      }
    },
  }
}

/** What is asked of the provider, in the address that the browser is sent to. */
export async function authorizationParameters(config: SsoProviderConfig, checks: SsoChecks) {
  return {
    redirect_uri: new URL(checks.redirectUri).href,
    scope: config.scopes.join(' '),
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.codeVerifier),
    code_challenge_method: 'S256',
  }
}

/** The callback as if it had come to the redirect address, from which the library takes `redirect_uri`. */
export function responseOf(callback: URL, checks: SsoChecks): URL {
  const url = new URL(checks.redirectUri)
  url.search = callback.search
  return url
}

/** What the library leaves open: when a token was issued, to whom where it has one audience alone, and which tenant. */
function requireClaims(
  claims: openid.IDToken | undefined,
  client: openid.Configuration,
  config: SsoProviderConfig,
  clock: Clock,
): openid.IDToken {
  if (claims === undefined) throw new SsoError('invalid-response', 'The provider sent no ID token.')
  const now = clock.now().getTime() / 1000
  if (claims.iat > now + 30) throw new SsoError('invalid-response', timestampCause('iat', claims.iat, now))
  if (claims.azp !== undefined && claims.azp !== config.clientId) {
    const cause = `The ID token was issued to another client (azp is ${shown(claims.azp)}), not to ${config.clientId}.`
    throw new SsoError('invalid-response', cause)
  }
  // The library puts tid in place of the template, whatever it is.
  if (client.serverMetadata().issuer.includes('{tenantid}') && !TENANT.test(String(claims.tid))) {
    throw new SsoError(
      'invalid-response',
      `The ID token's tid is ${shown(claims.tid)}, which is no tenant id.`,
    )
  }
  return claims
}

const TENANT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

async function profileFrom(
  client: openid.Configuration,
  config: SsoProviderConfig,
  claims: openid.IDToken,
  accessToken: string,
): Promise<SsoProfile> {
  const subject = subjectOf(claims.sub)
  if (subject === null) {
    throw new SsoError('invalid-response', 'The ID token has a sub that is not 1 to 255 ASCII characters.')
  }
  const sources: Claims[] = [claims]
  if (isUserinfoNeeded(claims, config) && client.serverMetadata().userinfo_endpoint !== undefined) {
    sources.push(await openid.fetchUserInfo(client, accessToken, claims.sub))
  }
  return {
    issuer: claims.iss,
    subject,
    ...emailOf(sources, config.emailVerification),
    fullName: fullNameOf(sources),
  }
}

function isUserinfoNeeded(claims: Claims, { emailVerification }: SsoProviderConfig): boolean {
  // Entra ID states only in the token whether an address was verified.
  if (emailVerification === 'xms_edov') return false
  return typeof claims.email !== 'string' || !(emailVerification in claims) || fullNameOf([claims]) === ''
}
