import { Secret, TOTP } from 'otpauth'
import { isSameText } from '../constant-time.ts'

/** The length of a time step in seconds (RFC 6238). */
export const STEP_SECONDS = 30

/** A new random secret of 160 bits, base32. */
export const newSecret = (): string => new Secret({ size: 20 }).base32

/** The address of a secret for authenticator apps. */
export const uriOf = (secret: string, issuer: string, label: string): string =>
  totp(secret, { issuer, label }).toString()

/** The code of a time step. */
export const codeOf = (secret: string, step: number): string =>
  totp(secret).generate({ timestamp: step * STEP_SECONDS * 1000 })

/** The time step of an instant. */
export const stepOf = (at: Date): number => Math.floor(at.getTime() / 1000 / STEP_SECONDS)

/**
 * The newest time step whose code this is, of the present one and those on either side; null when it is of none. The
 * newest, so that a code that happens to be that of two steps is used up for both.
 */
export function stepOfCode(secret: string, code: string, at: Date): number | null {
  const given = code.replace(/\s/g, '')
  const now = stepOf(at)
  const matching = [now - 1, now, now + 1].filter((step) => isSameText(given, codeOf(secret, step)))
  return matching.at(-1) ?? null
}

/** Six digits and SHA-1: what every app can do. */
const totp = (secret: string, names: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({
    ...names,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: STEP_SECONDS,
  })
