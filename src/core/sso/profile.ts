import { Value } from '@sinclair/typebox/value'
import type { Context } from '../../context.ts'
import type { SsoProfile } from '../../platform/sso/provider.ts'
import { emailKey } from '../accounts/account.ts'
import { isAllowedAddress } from '../accounts/addresses.ts'
import { enforce } from '../policy.ts'
import { Email } from '../schema.ts'
import { codePoints, hasInvisibleCharacter, hasTooManyMarks, isFarTooLong, normaliseName } from '../text.ts'
import * as policy from './policy.ts'

/** Who somebody is, as far as it is certain: an identity, and an address that the provider has verified. */
export type Person = Readonly<{
  issuer: string
  subject: string
  email: string
  emailKey: string
  /** Empty where the provider gives none that can be used. */
  fullName: string
}>

const ADDRESS = Email()
const MAX_NAME = 128

/** Lengths that an index of the database takes; OpenID Connect has at most 255 for a subject. */
const MAX_ISSUER = 500
const MAX_SUBJECT = 255

/**
 * Whom a profile vouches for. 403 where the address is not verified, or of a domain that may not have accounts. Only
 * ASCII addresses are let through: no other character can pass for one of another address.
 */
export function personOf(ctx: Context, provider: string, profile: SsoProfile): Person {
  const { issuer, subject, emailVerified } = profile
  const email = profile.email ?? ''
  const isUsable = Value.Check(ADDRESS, email) && fits(issuer, MAX_ISSUER) && fits(subject, MAX_SUBJECT)
  enforce(policy.admit, {
    provider,
    isVerified: emailVerified && profile.email !== null,
    isUsable,
    isAllowedDomain: isUsable && isAllowedAddress(ctx.config, email),
  })
  return { issuer, subject, email, emailKey: emailKey(email), fullName: nameOf(profile.fullName) }
}

const fits = (text: string, most: number): boolean =>
  text.length > 0 && text.length <= most && !/\p{Cc}/u.test(text)

function nameOf(text: string): string {
  if (isFarTooLong(text, MAX_NAME) || hasTooManyMarks(text)) return ''
  const name = normaliseName(text)
  // Some providers give the address for a name, which the audit log would show.
  if (Value.Check(ADDRESS, name)) return ''
  return hasInvisibleCharacter(name) || codePoints(name) > MAX_NAME ? '' : name
}
