import * as openid from 'openid-client'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { createAvailability } from './availability.ts'
import { boundedFetch, type Send } from './bounded-fetch.ts'
import { requireUsableEndpoints } from './endpoints.ts'
import { discoveryFailure } from './failures.ts'
import type { SsoProviderConfig } from './provider-config.ts'

/** What the steps of a sign-in share: the present, the calls, and how long a step may take. */
export type Surroundings = Readonly<{
  clock: Clock
  send: Send
  stepMilliseconds: number
  log: Log | null
}>

/** What an OpenID issuer says about itself: asked once, kept, and asked again. */
export type Issuer = Readonly<{
  /** Whether it answered when it was last asked; true before. Asks it in the background where that is not recent. */
  isAvailable(): boolean
  /**
   * A client of the issuer whose calls end with `deadline`. `within` says how many seconds ago the issuer may have been
   * asked what it is. Throws SsoError.
   */
  client(deadline: AbortSignal, within: number): Promise<openid.Configuration>
}>

/** How long what an issuer says about itself is used; seconds. */
export const MAX_AGE = 3600
/** How long a new sign-in relies on the issuer being there; seconds. */
export const RECENT = 60

/** The issuer of a provider. Nothing is asked before the first use. */
export function createIssuer(config: SsoProviderConfig, surroundings: Surroundings): Issuer {
  const { clock, send, stepMilliseconds, log } = surroundings
  const availability = createAvailability(config.id, log)
  const seconds = () => clock.now().getTime() / 1000
  const isOld = (at: number, limit: number) => Math.abs(seconds() - at) > limit
  let known: { document: string; at: number } | null = null
  let asking: Promise<string> | null = null

  // One question at a time, whoever waits for the answer.
  const ask = (): Promise<string> => {
    asking ??= (async () => {
      const at = seconds()
      try {
        const document = await discover(config, boundedFetch(send, AbortSignal.timeout(stepMilliseconds)))
        known = { document, at }
        availability.reached(at)
        return document
      } catch (error) {
        const failure = discoveryFailure(error, config)
        availability.failed(at, failure.cause)
        throw failure
      } finally {
        asking = null
      }
    })()
    return asking
  }

  return {
    isAvailable() {
      const at = availability.attemptedAt()
      if (asking === null && (at === null || isOld(at, RECENT))) ask().catch(() => {})
      return availability.isAvailable()
    },
    async client(deadline, within) {
      const document = known === null || isOld(known.at, within) ? await ask() : known.document
      const client = await clientOf(config, document, clock)
      client[openid.customFetch] = boundedFetch(send, deadline) as openid.CustomFetch
      return client
    },
  }
}

/** The text of the discovery document, when it can be used. */
async function discover(config: SsoProviderConfig, fetch: Send): Promise<string> {
  let document = ''
  const found = await load(config, 0, async (url, init) => {
    const response = await fetch(url, init)
    document = await response.clone().text()
    return response
  })
  requireUsableEndpoints(config.issuer, found.serverMetadata())
  return document
}

/**
 * A client for one step. The document is read again for each, in far less than a millisecond: the library fixes the
 * clock when it reads it, and keeps an issuer's signing keys with it, which so are those of this moment.
 */
async function clientOf(config: SsoProviderConfig, document: string, clock: Clock) {
  const skew = Math.round((clock.now().getTime() - Date.now()) / 1000)
  const headers = { 'content-type': 'application/json' }
  const client = await load(config, skew, async () => new Response(document, { headers }))
  // Else no signature is checked where TLS vouches for the token endpoint.
  openid.enableNonRepudiationChecks(client)
  return client
}

function load(config: SsoProviderConfig, skew: number, fetch: Send): Promise<openid.Configuration> {
  return openid.discovery(
    new URL(config.issuer),
    config.clientId,
    { client_secret: config.clientSecret, [openid.clockSkew]: skew, [openid.clockTolerance]: 30 },
    (as, client, body, headers) =>
      clientAuthentication(config, as.token_endpoint_auth_methods_supported)(as, client, body, headers),
    {
      [openid.customFetch]: fetch as openid.CustomFetch,
      execute: config.issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
    },
  )
}

/** As the preset says; else in the body where the issuer takes it there, for not every issuer decodes the header. */
function clientAuthentication(
  { clientAuthentication, clientSecret }: SsoProviderConfig,
  supported: readonly string[] | undefined,
): openid.ClientAuth {
  const method = clientAuthentication ?? (supported?.includes('client_secret_post') ? 'post' : 'basic')
  return method === 'post' ? openid.ClientSecretPost(clientSecret) : openid.ClientSecretBasic(clientSecret)
}
