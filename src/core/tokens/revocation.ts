import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/events.ts'
import { notFound, unauthenticated } from '../errors.ts'
import * as queries from './queries.ts'
import { TOKEN_KINDS, type TokenPrincipal } from './token.ts'

/**
 * Deletes a token of a principal and writes the entry. 404 when the principal has no such token, 401 when it is the
 * token of this request: another request has just revoked it.
 */
export async function revoke(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  principal: TokenPrincipal,
  id: string,
): Promise<void> {
  const row = await queries.remove(tx, principal.id, id)
  if (row === undefined) throw isCredentialOf(actor, principal, id) ? unauthenticated() : notFound('Token')
  await record(ctx, tx, actor, deletion(principal, row))
}

/**
 * Locks the tokens of a principal that is about to be deleted, before its row and in the order in which all are revoked:
 * the other one could deadlock. Gives how many have not expired.
 */
export const lockTokensOf = (ctx: Context, tx: Transaction, principalId: string): Promise<number> =>
  queries.lockAll(tx, principalId, ctx.clock.now())

/**
 * Deletes every personal access token of a user's active membership, calls `write` with an entry for each that had not
 * expired, and gives the number of these. Requires that this transaction has ended the user's sessions, so that none of
 * them creates another.
 */
export async function revokeAllOf(
  ctx: Context,
  tx: Transaction,
  userId: string,
  write: (...events: AuditEvent[]) => Promise<void>,
): Promise<number> {
  const rows = await queries.removeAllOf(tx, userId, ctx.clock.now())
  await write(...rows.map((row) => deletion({ id: row.principal_id, kind: 'pat' }, row)))
  return rows.length
}

function deletion(principal: TokenPrincipal, row: queries.DeletedToken): AuditEvent {
  const { name } = row
  const expiresAt = row.expires_at?.toISOString() ?? null
  return {
    eventType: 'token.deleted',
    resourceId: row.id,
    resourceMetadata: { name, expiresAt, ownerId: principal.id },
    oldValues: { name, expiresAt },
    description: `${TOKEN_KINDS[principal.kind].noun} "${name}" deleted.`,
  }
}

const isCredentialOf = (actor: Actor, principal: TokenPrincipal, id: string): boolean =>
  principal.id === actor.id && actor.credential.kind === 'token' && actor.credential.id === id.toLowerCase()
