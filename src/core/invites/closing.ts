import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { recordAll } from '../audit/audit.ts'
import type { InviteRow } from './invite.ts'
import * as queries from './queries.ts'

// Not in invites.ts: it imports roles.ts, which uses this.
export { removeExpired } from './queries.ts'

/**
 * Cancels the pending invites that a member or service account sent, with an entry for each. Must run before its principal
 * is deleted, which clears their sender.
 */
export async function cancelSentBy(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  senderId: string,
): Promise<void> {
  await queries.removeExpired(tx, actor.organisation.id, ctx.clock.now())
  const sender = { id: senderId, organisationId: actor.organisation.id }
  const cancelled = await queries.removeSentBy(tx, sender)
  await recordAll(ctx, tx, actor, cancelled.map(cancellationOf))
}

/** The entry of an invite that was cancelled. */
export const cancellationOf = ({ id, role_id, role_name }: Pick<InviteRow, 'id' | 'role_id' | 'role_name'>) =>
  ({
    eventType: 'invite.cancelled',
    resourceId: id,
    oldValues: { role: { id: role_id, name: role_name } },
    description: `Invite to the role "${role_name}" cancelled.`,
  }) as const
