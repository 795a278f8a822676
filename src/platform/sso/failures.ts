import * as openid from 'openid-client'
import { CallFailure } from './bounded-fetch.ts'
import { SsoError } from './provider.ts'
import type { SsoProviderConfig } from './provider-config.ts'

/** The failure of asking an issuer what it is: whatever it was, the provider can't be used now. */
export function discoveryFailure(error: unknown, config: SsoProviderConfig): SsoError {
  if (error instanceof SsoError) return error
  const call = inChain(error, isCallFailure)
  if (call) return new SsoError('provider-unavailable', `${call.message}${tlsHint(call.message)}`)
  const stated = inChain(
    error,
    (part): part is { body: { issuer?: unknown } } => 'body' in part && 'expected' in part,
  )
  const sentence = stated
    ? `The issuer calls itself ${shown(stated.body?.issuer)}, the setting says ${config.issuer}: they must be the same to the letter.`
    : `The issuer's /.well-known/openid-configuration can't be used: ${libraryMessage(error)}.`
  return new SsoError('provider-unavailable', sentence)
}

/** The failure of the second step. */
export function callbackFailure(error: unknown, config: SsoProviderConfig, redirectUri: string): SsoError {
  if (error instanceof SsoError) return error
  const call = inChain(error, isCallFailure)
  if (call) return new SsoError('provider-unavailable', `${call.message}${tlsHint(call.message)}`)
  if (error instanceof openid.AuthorizationResponseError) return declined(error.error)
  if (error instanceof openid.ResponseBodyError) return refused(error, redirectUri)
  if (error instanceof openid.WWWAuthenticateChallengeError) {
    return new SsoError('refused-by-provider', 'The provider refuses the client id or its secret.')
  }
  return new SsoError('invalid-response', invalid(error, config))
}

const DECLINED = ['access_denied', 'interaction_required', 'login_required', 'consent_required']
const UNAVAILABLE = ['server_error', 'temporarily_unavailable']

function declined(code: string): SsoError {
  const reason = DECLINED.includes(code)
    ? 'declined'
    : UNAVAILABLE.includes(code)
      ? 'provider-unavailable'
      : 'refused-by-provider'
  return new SsoError(reason, `The provider sent the person back with the error ${shownCode(code)}.`)
}

const ADVICE: Record<string, string> = {
  invalid_client: 'check the client id and the client secret',
  unauthorized_client: 'allow the authorization code grant for this client',
  redirect_uri_mismatch: 'register the redirect address',
  incorrect_client_credentials: 'check the client id and the client secret',
  bad_verification_code: 'the code was used before or is too old',
  invalid_grant:
    'the code was used before or is too old, or the redirect address differs from the registered one',
}

function refused(error: openid.ResponseBodyError, redirectUri: string): SsoError {
  // Of the description only the number of Entra ID: the rest may name the person.
  const number = /\bAADSTS[0-9]{1,9}\b/.exec(error.error_description ?? '')?.[0]
  const advice = ADVICE[error.error]
  return new SsoError(
    'refused-by-provider',
    `The token endpoint answered with the error ${shownCode(error.error)}${number ? ` (${number})` : ''}` +
      `${advice ? `: ${advice}` : ''}. The redirect address is ${redirectUri}.`,
  )
}

type Comparison = { claim?: unknown; claims?: Record<string, unknown>; now?: unknown; expected?: unknown }

function invalid(error: unknown, config: SsoProviderConfig): string {
  const comparison = inChain(error, (part): part is Comparison => 'claims' in part && 'claim' in part)
  const claim = comparison?.claim
  const value = typeof claim === 'string' ? comparison?.claims?.[claim] : undefined
  if (claim === 'iss') return `The ID token is of the issuer ${shown(value)}, not of ${config.issuer}.`
  if (claim === 'aud' || claim === 'azp') {
    return `The ID token was issued to another client (${claim} is ${shown(value)}), not to ${config.clientId}.`
  }
  if (
    (claim === 'exp' || claim === 'nbf') &&
    typeof comparison?.now === 'number' &&
    typeof value === 'number'
  ) {
    return timestampCause(claim, value, comparison.now)
  }
  const algorithm = inChain(error, (part): part is { header: { alg?: unknown } } => 'header' in part)?.header
    ?.alg
  return `${libraryMessage(error)}${algorithm === undefined ? '' : ` (alg is ${shown(algorithm)})`}.`
}

/** A token's time that does not fit the time here. */
export function timestampCause(claim: 'exp' | 'nbf' | 'iat', value: number, now: number): string {
  const distance = Math.round(Math.abs(now - value))
  const side = value > now ? 'in the future' : 'in the past'
  return `The ID token's ${claim} is ${distance} seconds ${side}: compare the clocks of this machine and of the provider.`
}

/** A value that is printed: of bounded length, and nothing where it may be an e-mail address. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.includes('@') || text.length > 200 ? 'a value that is not shown' : text
}

const shownCode = (code: string): string => (/^[a-z_]{1,64}$/.test(code) ? code : 'that is not shown')

function tlsHint(message: string): string {
  return /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|_TLS_/.test(message)
    ? ' Its certificate is not trusted: SSO_CA takes the certificate authority.'
    : ''
}

/** The library's innermost sentence. Its sentences are fixed: values stand beside them, in `cause`. */
function libraryMessage(error: unknown): string {
  let message = 'unknown error'
  for (const part of chainOf(error)) {
    const { code, message: own } = part as { code?: unknown; message?: unknown }
    if (typeof code === 'string' && /^(OAUTH|ERR)_/.test(code) && typeof own === 'string') message = own
  }
  return message.slice(0, 300)
}

const isCallFailure = (part: object): part is CallFailure => part instanceof CallFailure

function inChain<T extends object>(error: unknown, is: (part: object) => part is T): T | null {
  return chainOf(error).find(is) ?? null
}

function chainOf(error: unknown): object[] {
  const chain: object[] = []
  let part = error
  while (typeof part === 'object' && part !== null && chain.length < 8) {
    chain.push(part)
    part = (part as { cause?: unknown }).cause
  }
  return chain
}
