import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import { type Caller, type Credential, isActor, type RequestSource } from '../actor.ts'
import { recordAs } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/events.ts'
import { findOrganisationId } from '../deployment.ts'
import { type AccountRow, auditActorOf } from './account.ts'

/**
 * Writes audit entries of a signed-in caller. For a user without a membership they go to the deployment's organisation.
 */
export async function recordCaller(
  ctx: Context,
  tx: Queryable,
  caller: Caller,
  ...events: readonly AuditEvent[]
): Promise<void> {
  const organisationId = isActor(caller) ? caller.organisation.id : await findOrganisationId(tx)
  if (organisationId !== null) await recordAs(ctx, tx, caller, organisationId, ...events)
}

/** Writes audit entries of an account that is not signed in, or only by this request; none without an organisation. */
export async function recordAccount(
  ctx: Context,
  tx: Queryable,
  account: AccountRow,
  { credential = null, source }: Readonly<{ credential?: Credential | null; source: RequestSource }>,
  ...events: readonly AuditEvent[]
): Promise<void> {
  const organisationId = account.deployment_organisation_id
  if (organisationId === null) return
  await recordAs(ctx, tx, auditActorOf(account, credential, source), organisationId, ...events)
}
