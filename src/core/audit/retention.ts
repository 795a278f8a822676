import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { findOrganisationId } from '../deployment.ts'
import type { Part } from '../parts.ts'
import { transaction } from '../transactions.ts'
import * as accessChanges from './access-change-queries.ts'
import { type Operator, recordByOperator } from './audit.ts'
import * as queries from './queries.ts'

const DAY_MILLISECONDS = 24 * 3600 * 1000

/** A statement of this many takes far less than its deadline. */
const ENTRIES_PER_STATEMENT = 2000

/** What changes of access named, a few bytes each. */
const NAMED_PER_STATEMENT = 20_000

/** The setting is the operator's decision, so the operator is who deleted. */
const OPERATOR: Operator = { type: 'operator', by: 'AUDIT_RETENTION_DAYS' }

/**
 * Deletes the audit entries of days (UTC) that ended more than AUDIT_RETENTION_DAYS ago; without the setting none. All parts
 * of a run are one entry, with their number: so there is one a day.
 */
export function oldEntries(ctx: Context): Part {
  let entryId: string | null = null
  let count = 0
  return async () => {
    const days = ctx.config.auditRetentionDays
    const organisationId = days === null ? null : await findOrganisationId(ctx.db)
    if (days === null || organisationId === null) return false
    const before = new Date(startOfDay(ctx.clock.now()).getTime() - days * DAY_MILLISECONDS)
    const deleted = await transaction(ctx, async (tx) => {
      const deleted = await queries.removeBefore(tx, organisationId, before, ENTRIES_PER_STATEMENT)
      if (deleted === 0) return 0
      // In the transaction of each part, so that nothing is deleted without a word.
      const values = { count: count + deleted, before: before.toISOString() }
      if (entryId === null) entryId = await recordDeletion(ctx, tx, organisationId, values)
      else await queries.replaceNewValues(tx, entryId, ctx.db.json(values))
      return deleted
    })
    count += deleted
    if (deleted === ENTRIES_PER_STATEMENT) return true
    // After the entries: without one, what it named finds nothing.
    return (
      (await transaction(ctx, (tx) => accessChanges.removeBefore(tx, before, NAMED_PER_STATEMENT))) ===
      NAMED_PER_STATEMENT
    )
  }
}

const startOfDay = (at: Date): Date =>
  new Date(Math.floor(at.getTime() / DAY_MILLISECONDS) * DAY_MILLISECONDS)

const recordDeletion = (
  ctx: Context,
  tx: Transaction,
  organisationId: string,
  newValues: Readonly<{ count: number; before: string }>,
): Promise<string> =>
  recordByOperator(ctx, tx, OPERATOR, organisationId, {
    eventType: 'audit_log.entries_deleted',
    resourceId: null,
    newValues,
    description: 'Audit entries older than AUDIT_RETENTION_DAYS deleted.',
  })
