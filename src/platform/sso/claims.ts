import type { SsoProfile } from './provider.ts'
import type { EmailVerification } from './provider-config.ts'

/** Claims of an ID token or of the userinfo endpoint, as they came. */
export type Claims = Readonly<Record<string, unknown>>

type Email = Pick<SsoProfile, 'email' | 'emailVerified'>

/**
 * The address of these claims, in the order of trust: an address and what vouches for it come from the same place,
 * never an address from one and its verification from another.
 */
export function emailOf(sources: readonly Claims[], verification: EmailVerification): Email {
  const found = sources.map((claims) => ({
    email: addressOf(claims.email),
    emailVerified: isTrue(claims[verification]),
    isStated: verification in claims,
  }))
  const { email, emailVerified } = found.find((source) => source.email !== null && source.isStated) ??
    found.find((source) => source.email !== null) ?? { email: null, emailVerified: false }
  return { email, emailVerified: email !== null && emailVerified }
}

/** The full name of the first claims that have one, at most 128 characters; empty where none has. */
export function fullNameOf(sources: readonly Claims[]): string {
  for (const { name, given_name, family_name } of sources) {
    const text = nameText(name) || [given_name, family_name].map(nameText).filter(Boolean).join(' ')
    if (text !== '') return [...text].slice(0, 128).join('').trim()
  }
  return ''
}

/** The subject, as far as it can be stored: 1 to 255 visible ASCII characters; null otherwise. */
export function subjectOf(subject: unknown): string | null {
  return typeof subject === 'string' && /^[\x20-\x7e]{1,255}$/.test(subject) ? subject : null
}

/** An address as it came, or null where it can't be one; whether it is valid is the caller's rule. */
function addressOf(value: unknown): string | null {
  return typeof value === 'string' &&
    value.length <= 254 &&
    /^[^\s\p{C}@,;<>"]+@[^\s\p{C}@,;<>"]+$/u.test(value)
    ? value
    : null
}

/** Some providers write the word, and Entra ID the number. */
const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 1 || value === '1'

function nameText(value: unknown): string {
  if (typeof value !== 'string' || value.length > 2000) return ''
  return value.replace(/[\p{C}\s]+/gu, ' ').trim()
}
