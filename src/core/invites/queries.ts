import type { Transaction } from '../../platform/database.ts'

/** Closes the organisation's invites whose time is over, so that they hold no role and no address any more. */
export const closeExpired = (tx: Transaction, organisationId: string, at: Date) =>
  tx`
    update invites set state = 'expired', closed_at = ${at}, role_id = null, role_kind = null
    where organisation_id = ${organisationId} and state = 'pending' and expires_at <= ${at}`
