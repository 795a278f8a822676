import { type Static, Type } from '@sinclair/typebox'
import { badRequest } from '../errors.ts'
import { Instant, instantFrom } from '../instant.ts'
import { Name, Nullable, StrictObject, Timestamp } from '../schema.ts'

/** How many tokens a member or service account can have that have not expired. */
export const MOST_LIVE_TOKENS = 100

/** An access token as it is read, without its hash; the creator is null on tokens older than that column. */
export type TokenRow = Readonly<{
  id: string
  name: string
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  creator_id: string | null
  creator_type: 'user' | 'service_account' | null
  creator_name: string | null
}>

/** An access token in a list: never the token itself. */
export const Token = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp(),
  expiresAt: Nullable(Timestamp()),
  lastUsedAt: Nullable(Timestamp()),
  createdBy: Nullable(
    Type.Object(
      {
        type: Type.Union([Type.Literal('user'), Type.Literal('service_account')]),
        id: Type.String({ description: 'The id of the membership, or of the service account.' }),
        name: Type.String(),
      },
      { description: 'Who created the token, also after leaving; null where that is not known.' },
    ),
  ),
})
export type Token = Static<typeof Token>

/** A token at its creation, the only time that it is shown. */
export const IssuedToken = Type.Composite([
  Token,
  Type.Object({ token: Type.String({ description: 'Shown this once; only a hash of it is kept.' }) }),
])
export type IssuedToken = Static<typeof IssuedToken>

/** Ten years, leap days included: an expiry further away is taken for a mistake. */
const LONGEST_SECONDS = 3653 * 24 * 3600

/** The body that creates a token: without an expiry it is good until it is revoked. */
export const CreateToken = StrictObject({
  name: Name(64),
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

/** When a token asked for at `now` ends; null for never. 400 when both fields are sent, or the time is past or absurd. */
export function expiryFrom(input: Omit<CreateToken, 'name'>, now: Date): Date | null {
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
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  createdBy:
    row.creator_id === null || row.creator_type === null
      ? null
      : { type: row.creator_type, id: row.creator_id, name: row.creator_name ?? '' },
})
