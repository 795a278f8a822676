import * as openid from 'openid-client'
import { type Availability, createAvailability } from './availability.ts'
import { boundedFetch, CallFailure, type Send } from './bounded-fetch.ts'
import { emailOf, fullNameOf } from './claims.ts'
import { callbackFailure } from './failures.ts'
import { RECENT, type Surroundings } from './issuer.ts'
import { authorizationParameters, responseOf } from './openid.ts'
import { type SsoChecks, SsoError, type SsoProfile, type SsoProvider } from './provider.ts'
import type { SsoProviderConfig } from './provider-config.ts'

/**
 * GitHub, or a GitHub Enterprise Server by its issuer: OAuth without OpenID. The subject is the number of the account,
 * as its name can pass to somebody else; the address is the primary one, which GitHub says is verified or not.
 */
export function createGitHubProvider(config: SsoProviderConfig, surroundings: Surroundings): SsoProvider {
  const { clock, send, stepMilliseconds, log } = surroundings
  const seconds = () => clock.now().getTime() / 1000
  const availability = createAvailability(config.id, log)
  return {
    id: config.id,
    name: config.name,
    // GitHub has no discovery document to ask for: a minute after a failure the next sign-in tells.
    isAvailable: () =>
      availability.isAvailable() || Math.abs(seconds() - (availability.attemptedAt() ?? 0)) > RECENT,
    async authorizationUrl(checks) {
      const { nonce: _, ...parameters } = await authorizationParameters(config, checks)
      return openid.buildAuthorizationUrl(clientOf(config), parameters)
    },
    async profileOf(callback, checks) {
      const fetch = observed(boundedFetch(send, AbortSignal.timeout(stepMilliseconds)), availability, seconds)
      try {
        return await profileFrom(config, fetch, await accessToken(config, fetch, callback, checks))
      } catch (error) {
        throw callbackFailure(error, config, checks.redirectUri)
      }
    },
  }
}

/** Notes whether GitHub can be reached. What a caller's code makes it answer is no sign of that. */
function observed(fetch: Send, availability: Availability, seconds: () => number): Send {
  return async (url, init) => {
    try {
      const response = await fetch(url, init)
      availability.reached(seconds())
      return response
    } catch (error) {
      if (error instanceof CallFailure && error.isUnreachable) availability.failed(seconds(), error.message)
      throw error
    }
  }
}

function clientOf({ issuer, clientId, clientSecret }: SsoProviderConfig): openid.Configuration {
  const base = `${baseOf(issuer)}/login/oauth`
  const client = new openid.Configuration(
    { issuer: base, authorization_endpoint: `${base}/authorize`, token_endpoint: `${base}/access_token` },
    clientId,
    clientSecret,
    openid.ClientSecretPost(clientSecret),
  )
  if (issuer.startsWith('http:')) openid.allowInsecureRequests(client)
  return client
}

async function accessToken(
  config: SsoProviderConfig,
  fetch: Send,
  callback: URL,
  checks: SsoChecks,
): Promise<string> {
  const client = clientOf(config)
  client[openid.customFetch] = withErrorStatus(fetch) as openid.CustomFetch
  const tokens = await openid.authorizationCodeGrant(client, responseOf(callback, checks), {
    expectedState: checks.state,
    pkceCodeVerifier: checks.codeVerifier,
  })
  return tokens.access_token
}

/** GitHub answers errors with 200, where OAuth says 400. */
function withErrorStatus(fetch: Send): Send {
  return async (url, init) => {
    const response = await fetch(url, init)
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => null)
    const isError = response.status === 200 && typeof (body as { error?: unknown } | null)?.error === 'string'
    return isError ? Response.json(body, { status: 400 }) : response
  }
}

async function profileFrom(config: SsoProviderConfig, fetch: Send, token: string): Promise<SsoProfile> {
  const user = await read(config, fetch, token, '/user')
  const { id, name } = (user ?? {}) as { id?: unknown; name?: unknown }
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) {
    throw new SsoError('invalid-response', "GitHub's /user has no id that is a number.")
  }
  const emails = await read(config, fetch, token, '/user/emails')
  const primary = Array.isArray(emails) ? emails.find((entry) => entry?.primary === true) : undefined
  return {
    issuer: baseOf(config.issuer),
    subject: String(id),
    ...emailOf([{ email: primary?.email, email_verified: primary?.verified }], 'email_verified'),
    fullName: fullNameOf([{ name }]),
  }
}

async function read(config: SsoProviderConfig, fetch: Send, token: string, path: string): Promise<unknown> {
  const base = baseOf(config.issuer)
  const api = base === 'https://github.com' ? 'https://api.github.com' : `${base}/api/v3`
  const response = await fetch(`${api}${path}`, {
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'Keyward',
      'x-github-api-version': '2022-11-28',
    },
  })
  if (response.status === 200) return response.json().catch(() => null)
  const advice =
    path === '/user/emails'
      ? ': the scope user:email is missing, or with a GitHub App the permission to read e-mail addresses'
      : ''
  throw new SsoError(
    'refused-by-provider',
    `GitHub's ${path} answered with status ${response.status}${advice}.`,
  )
}

const baseOf = (issuer: string): string => issuer.replace(/\/$/, '')
