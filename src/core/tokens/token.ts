import { type Static, Type } from '@sinclair/typebox'
import { PrincipalReference } from '../contract/references.ts'
import { badRequest } from '../errors.ts'
import { Instant, instantFrom } from '../instant.ts'
import { Name, Nullable, StrictObject, Timestamp } from '../schema.ts'
import type { Row } from '../tables.ts'
import type { CreatorColumns } from './creators.ts'

/** How many unexpired tokens a principal can have. */
export const MOST_LIVE_TOKENS = 100

/** How many expired tokens of a principal are kept, so that people can be told of them. */
export const MOST_EXPIRED_TOKENS = 100

/** The principal of a token, by its id: a member (`pat`) or a service account (`sat`). */
export type TokenPrincipal = Readonly<{ id: string; kind: 'pat' | 'sat' }>

/** How a principal's tokens are called in entries, and their holder in sentences. */
export const TOKEN_KINDS = {
  pat: { noun: 'Personal access token', holder: 'You' },
  sat: { noun: 'Service account token', holder: 'A service account' },
} as const

/** An access token without its hash. */
export type TokenRow = Row<
  'tokens',
  'id' | 'name' | 'format' | 'created_at' | 'expires_at' | 'last_used_at'
> &
  CreatorColumns

const Format = () =>
  Type.Union([Type.Literal('keyward'), Type.Literal('phase')], {
    description: '`phase` is what the command line, SDKs, operator and provider of Phase take.',
  })

/** The format of a new token in a body: Keyward's own unless it is sent. */
export const TokenFormat = () => Type.Optional(Format())
export type TokenFormat = Static<ReturnType<typeof Format>>

/** An access token without its text. */
export const Token = Type.Object({
  id: Type.String(),
  name: Type.String(),
  format: Format(),
  createdAt: Timestamp(),
  expiresAt: Nullable(Timestamp()),
  lastUsedAt: Nullable(Timestamp()),
  createdBy: Nullable(
    PrincipalReference({
      description: 'Who created the token, also once removed; null where that is not known.',
    }),
  ),
})
export type Token = Static<typeof Token>

/** A new token, the only time that its text is shown. */
export const IssuedToken = Type.Composite([
  Token,
  Type.Object({ token: Type.String({ description: 'Returned only here: it is not stored.' }) }),
])
export type IssuedToken = Static<typeof IssuedToken>

/** Ten years, leap days included: a later expiry is probably a mistake. */
const LONGEST_SECONDS = 3653 * 24 * 3600

/** The body that creates a token: without an expiry it is valid until it is revoked. */
export const CreateToken = StrictObject({
  name: Name(64),
  format: TokenFormat(),
  expires_at: Type.Optional(Instant()),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LONGEST_SECONDS,
      description: 'Seconds from now, instead of expires_at.',
    }),
  ),
})
export type CreateToken = Static<typeof CreateToken>

/** When a token created at `now` expires; null for never. 400 for both fields, or a time in the past or too far ahead. */
export function expiryFrom(input: Pick<CreateToken, 'expires_at' | 'expires_in'>, now: Date): Date | null {
  const { expires_at, expires_in } = input
  if (expires_at !== undefined && expires_in !== undefined) {
    throw badRequest('Send either expires_at or expires_in, not both.')
  }
  if (expires_in !== undefined) return new Date(now.getTime() + expires_in * 1000)
  if (expires_at === undefined) return null
  const expiry = instantFrom(expires_at)
  if (expiry === null || expiry <= now) throw badRequest('expires_at must be in the future.')
  if (expiry.getTime() - now.getTime() > LONGEST_SECONDS * 1000) {
    throw badRequest('expires_at must be at most ten years ahead.')
  }
  return expiry
}

/** A token as it is shown. */
export const present = (row: TokenRow): Token => ({
  id: row.id,
  name: row.name,
  format: row.format,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  createdBy:
    row.creator_id === null || row.creator_type === null
      ? null
      : { type: row.creator_type, id: row.creator_id, name: row.creator_name ?? '' },
})
