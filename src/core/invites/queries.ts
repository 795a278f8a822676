import type { Transaction } from '../../platform/database.ts'

/** Closes the organisation's invites whose time is over, so that they hold no role and no address any more. */
export const closeExpired = (tx: Transaction, organisationId: string, at: Date) =>
  tx`
    update invites set state = 'expired', closed_at = ${at}, role_id = null, role_kind = null
    where organisation_id = ${organisationId} and state = 'pending' and expires_at <= ${at}`

/** Cancels the pending invites that a member or service account sent; must run before its principal is deleted. */
export const cancelSentBy = (tx: Transaction, organisationId: string, principalId: string, at: Date) =>
  tx`
    update invites set state = 'cancelled', closed_at = ${at}, role_id = null, role_kind = null
    where organisation_id = ${organisationId} and invited_by = ${principalId} and state = 'pending'`
