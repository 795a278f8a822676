import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { AccountRow } from '../accounts/account.ts'
import { findAccountByEmail } from '../accounts/accounts.ts'
import { type Operator, recordByOperator } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/events.ts'
import { findOrganisationId } from '../deployment.ts'
import { DomainError } from '../errors.ts'

/** An operator, by the command that was run. */
export const operator = (command: string): Operator => ({ type: 'operator', by: `keyward ${command}` })

/** The account with an e-mail address; an error that says where to look when there is none. */
export async function accountOf(db: Queryable, email: string): Promise<AccountRow> {
  const account = await findAccountByEmail(db, email)
  if (account !== undefined) return account
  throw new DomainError(404, `No account has the e-mail address ${email}: "keyward users list" shows all.`)
}

/** Writes an audit entry of an operator; none before the first registration, which founds the organisation. */
export async function recordOperator(
  ctx: Context,
  tx: Transaction,
  command: string,
  event: AuditEvent,
): Promise<void> {
  const organisationId = await findOrganisationId(tx)
  if (organisationId !== null) await recordByOperator(ctx, tx, operator(command), organisationId, event)
}
