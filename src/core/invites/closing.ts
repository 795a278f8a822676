import type { Transaction } from '../../platform/postgres/database.ts'
import * as queries from './queries.ts'

/** Closes the organisation's invites whose time is over, so that they hold no role any more. */
export async function closeExpired(tx: Transaction, organisationId: string, at: Date): Promise<void> {
  await queries.closeExpired(tx, organisationId, at)
}

/** Cancels the pending invites that a member or service account sent; must run before its principal is removed. */
export async function cancelSentBy(
  tx: Transaction,
  sender: { id: string; organisationId: string },
  at: Date,
): Promise<void> {
  await queries.cancelSentBy(tx, sender.organisationId, sender.id, at)
}
