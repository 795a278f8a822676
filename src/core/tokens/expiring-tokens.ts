import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import type { FirstItems } from '../contract/first-items.ts'
import { PrincipalReference } from '../contract/references.ts'
import { Nullable, Timestamp } from '../schema.ts'
import { type ExpiringTokenRow, expiring } from './expiring-queries.ts'
import { Token } from './token.ts'

/** A token that expires soon or has expired, and whose it is. */
export const ExpiringToken = Type.Composite([
  Type.Pick(Token, ['id', 'name', 'format']),
  Type.Object({
    principal: PrincipalReference({ description: 'Whose token it is.' }),
    expiresAt: Timestamp(),
    lastUsedAt: Nullable(Timestamp()),
  }),
])
export type ExpiringToken = Static<typeof ExpiringToken>

/** Whether the actor may be told of tokens: a member of its own at least. */
export const mayReadExpiring = (actor: Actor): boolean =>
  actor.type === 'user' || can(actor, 'read', 'ServiceAccountTokens')

/**
 * The first tokens that expire in this time, of the actor and, where it may read those, of service accounts; and how many
 * there are: counted up to `most`.
 */
export async function expiringBetween(
  ctx: Context,
  actor: Actor,
  time: { from: Date; until: Date },
  { shown, most }: { shown: number; most: number },
): Promise<FirstItems<ExpiringToken>> {
  const rows = await expiring(ctx.db, actor, can(actor, 'read', 'ServiceAccountTokens'), time, shown, most)
  return { total: rows[0]?.total ?? 0, data: rows.map(present) }
}

const present = (row: ExpiringTokenRow): ExpiringToken => ({
  id: row.id,
  name: row.name,
  format: row.format,
  principal: {
    type: row.principal_type === 'member' ? 'user' : 'service_account',
    id: row.principal_id,
    name: row.principal_name,
  },
  expiresAt: row.expires_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
})
