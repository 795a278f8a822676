import nodeTls from 'node:tls'
import type { Clock } from '../clock.ts'
import { createFairLimiter } from '../limiter.ts'
import type { Log } from '../log.ts'
import { type Send, STEP_MILLISECONDS } from './bounded-fetch.ts'
import { createGitHubProvider } from './github.ts'
import { createOpenIdProvider } from './openid.ts'
import { SsoError, type SsoProvider } from './provider.ts'
import type { SsoConfig } from './provider-config.ts'

/**
 * The identity providers of a deployment, in the order in which it names them. Nothing is sent before the first use.
 * `log` is told when one can't be reached any more; `fetch` and `stepMilliseconds` are for tests.
 */
export function createProviders(
  config: SsoConfig,
  clock: Clock,
  options: { log?: Log; fetch?: Send; stepMilliseconds?: number } = {},
): readonly SsoProvider[] {
  const { log = null, fetch: send = outside(config.ca), stepMilliseconds = STEP_MILLISECONDS } = options
  return config.providers.map((provider) => {
    const create = provider.kind === 'github' ? createGitHubProvider : createOpenIdProvider
    return inTurns(create(provider, { clock, send, stepMilliseconds, log }))
  })
}

/** Bun sends 256 requests at a time: one provider that does not answer must leave room for the others. */
const TURNS = { concurrency: 64, concurrencyEach: 16, queueEach: 256, waitMilliseconds: 5000 }

function inTurns(provider: SsoProvider): SsoProvider {
  const turns = createFairLimiter(TURNS)
  return {
    ...provider,
    async profileOf(callback, checks, site = '') {
      const end = await turns.enter(site).catch(() => {
        throw new SsoError('provider-unavailable', 'Too many sign-ins at the provider are under way.')
      })
      try {
        return await provider.profileOf(callback, checks)
      } finally {
        end()
      }
    },
  }
}

/** Without kept connections: on one that was cut, Bun would send a request again. */
function outside(ca: string | null): Send {
  const tls = ca === null ? {} : { tls: { ca: [...nodeTls.getCACertificates('default'), ca] } }
  return (url, init) => fetch(url, { ...init, keepalive: false, ...tls })
}
