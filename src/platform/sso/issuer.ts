import * as openid from 'openid-client'
import type { Clock } from '../clock.ts'
import { boundedFetch, CallFailure, type Send } from './bounded-fetch.ts'
import { discoveryFailure } from './failures.ts'
import type { SsoProviderConfig } from './provider-config.ts'

/** What the steps of a sign-in share: the machine's time, the calls, and how long a step may take. */
export type Surroundings = Readonly<{ clock: Clock; send: Send; stepMilliseconds: number }>

/** What an OpenID issuer says about itself, kept and asked again. */
export type Issuer = Readonly<{
  isAvailable(): boolean
  /**
   * A client of the issuer whose calls end with `deadline`. `within` says how many seconds ago the issuer may have been
   * asked for what it rests on. Throws SsoError.
   */
  client(deadline: AbortSignal, within: number): Promise<openid.Configuration>
  /** Keeps the signing keys that a step has loaded for the next one. */
  keepKeys(client: openid.Configuration): void
}>

/** How long what an issuer says about itself is used, and its signing keys; seconds. */
export const MAX_AGE = 3600
/** How old a successful answer may be before a new sign-in asks again, and any answer before `isAvailable` does. */
export const RECENT = 60

type Known = { document: string; askedAt: number }

/** The issuer of a provider. Nothing is asked before the first use. */
export function createIssuer(config: SsoProviderConfig, surroundings: Surroundings): Issuer {
  const { clock, send, stepMilliseconds } = surroundings
  const seconds = () => clock.now().getTime() / 1000
  let known: Known | null = null
  let keys: openid.ExportedJWKSCache | null = null
  let keysAt = 0
  let asked: { at: number; isAnswered: boolean } | null = null
  let asking: Promise<Known> | null = null

  // One question at a time, whoever waits for it.
  const ask = (): Promise<Known> => {
    asking ??= discover(config, boundedFetch(send, AbortSignal.timeout(stepMilliseconds)), seconds())
      .then(
        (answer) => {
          known = answer
          asked = { at: answer.askedAt, isAnswered: true }
          return answer
        },
        (error) => {
          asked = { at: seconds(), isAnswered: false }
          throw error
        },
      )
      .finally(() => {
        asking = null
      })
    return asking
  }

  const isOld = (at: number, limit: number) => Math.abs(seconds() - at) > limit

  return {
    isAvailable() {
      if (asking === null && (asked === null || isOld(asked.at, RECENT))) ask().catch(() => {})
      return asked?.isAnswered ?? true
    },
    async client(deadline, within) {
      const current = known === null || isOld(known.askedAt, within) ? await ask() : known
      const client = await clientOf(config, current.document, clock)
      client[openid.customFetch] = boundedFetch(send, deadline) as openid.CustomFetch
      if (keys !== null && !isOld(keysAt, MAX_AGE)) {
        // At this age an unknown key makes the library load the keys again, and a known one does not.
        openid.setJwksCache(client, { ...keys, uat: Math.floor(Date.now() / 1000) - 100 })
      }
      return client
    },
    keepKeys(client) {
      const cache = openid.getJwksCache(client)
      if (!cache) return
      // Loaded just now; what was only passed in is older.
      if (Math.floor(Date.now() / 1000) - cache.uat < 60) keysAt = seconds()
      keys = cache
    },
  }
}

async function discover(config: SsoProviderConfig, fetch: Send, askedAt: number): Promise<Known> {
  let document = ''
  const recording: Send = async (url, init) => {
    const response = await fetch(url, init)
    document = await response.clone().text()
    return response
  }
  try {
    const found = await load(config, recording, 0)
    requireUsableEndpoints(config, found.serverMetadata())
    return { document, askedAt }
  } catch (error) {
    throw discoveryFailure(error, config)
  }
}

/** The document is validated at each step again, which costs microseconds; the library keeps no state in between. */
async function clientOf(config: SsoProviderConfig, document: string, clock: Clock) {
  const skew = Math.round((clock.now().getTime() - Date.now()) / 1000)
  const headers = { 'content-type': 'application/json' }
  const client = await load(config, async () => new Response(document, { headers }), skew)
  // Else a signature is not looked at where TLS vouches for the token endpoint.
  openid.enableNonRepudiationChecks(client)
  return client
}

function load(config: SsoProviderConfig, fetch: Send, skew: number): Promise<openid.Configuration> {
  const { issuer, clientId, clientSecret } = config
  const authentication: openid.ClientAuth = (as, client, body, headers) =>
    authenticationOf(config, as.token_endpoint_auth_methods_supported)(as, client, body, headers)
  return openid.discovery(
    new URL(issuer),
    clientId,
    { client_secret: clientSecret, [openid.clockSkew]: skew, [openid.clockTolerance]: 30 },
    authentication,
    {
      [openid.customFetch]: fetch as openid.CustomFetch,
      execute: issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
    },
  )
}

/** By the preset; else in the body where the issuer says that it reads it there, as some don't decode the header. */
function authenticationOf(
  config: SsoProviderConfig,
  supported: readonly string[] | undefined,
): openid.ClientAuth {
  const method = config.clientAuthentication ?? (supported?.includes('client_secret_post') ? 'post' : 'basic')
  return method === 'post'
    ? openid.ClientSecretPost(config.clientSecret)
    : openid.ClientSecretBasic(config.clientSecret)
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const

/**
 * An issuer must not lead the backend to its own machine or network: an endpoint that is not on the issuer's host has
 * a name, and no less protection than the issuer.
 */
function requireUsableEndpoints(config: SsoProviderConfig, metadata: openid.ServerMetadata): void {
  const issuer = new URL(config.issuer)
  for (const endpoint of ENDPOINTS) {
    const value = metadata[endpoint]
    if (value === undefined && endpoint === 'userinfo_endpoint') continue
    const url = typeof value === 'string' ? URL.parse(value) : null
    if (url === null) throw new CallFailure(`The issuer states no ${endpoint} that is a URL.`)
    const isProtected = url.protocol === 'https:' || url.protocol === issuer.protocol
    const isNamed =
      url.hostname === issuer.hostname || !/^(\[.*\]|[0-9.]+|(.*\.)?localhost\.?)$/.test(url.hostname)
    if (isProtected && isNamed && !url.username && !url.password) continue
    const place = `${url.protocol}//${url.host}`.slice(0, 100)
    throw new CallFailure(`The issuer states ${place} for its ${endpoint}, which can't be used.`)
  }
}
