import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import { type Caller, isActor, type RequestOrigin } from '../actor.ts'
import { recordAs } from '../audit/audit.ts'
import { recordCoalesced } from '../audit/coalescing.ts'
import type { AuditEvent } from '../audit/events.ts'
import { findOrganisationId } from '../deployment.ts'
import { type AccountRow, auditActorOf } from './account.ts'

/** Writes an entry of somebody signed in, in the transaction of the change; outsiders stand in the deployment's trail. */
export async function recordCaller(
  ctx: Context,
  tx: Queryable,
  caller: Caller,
  event: AuditEvent,
): Promise<void> {
  const organisationId = isActor(caller) ? caller.organisation.id : await findOrganisationId(tx)
  if (organisationId !== null) await recordAs(ctx, tx, caller, organisationId, event)
}

/** Writes that an account signed in. The sign-in stands even when that fails. */
export async function recordSignIn(
  ctx: Context,
  account: AccountRow,
  sessionId: string,
  origin: RequestOrigin,
): Promise<void> {
  const credential = { kind: 'session', id: sessionId, text: '' } as const
  await afterTheFact(ctx, origin, account, (organisationId) =>
    recordAs(ctx, ctx.db, auditActorOf(account, credential, origin), organisationId, {
      eventType: 'user.signed_in',
      resourceId: account.user_id,
      description: 'Signed in with a password.',
    }),
  )
}

/**
 * Writes that a sign-in to an account failed. Not waited for by whoever answers: an unknown address has no entry, and
 * the answer's time must not tell the two apart.
 */
export async function recordFailedSignIn(
  ctx: Context,
  account: AccountRow,
  description: string,
  origin: RequestOrigin,
): Promise<void> {
  await afterTheFact(ctx, origin, account, (organisationId) =>
    recordCoalesced(ctx, auditActorOf(account, null, origin), organisationId, {
      eventType: 'user.sign_in_failed',
      resourceId: account.user_id,
      description,
    }),
  )
}

async function afterTheFact(
  ctx: Context,
  { requestId }: RequestOrigin,
  { deployment_organisation_id }: AccountRow,
  write: (organisationId: string) => Promise<void>,
): Promise<void> {
  if (deployment_organisation_id === null) return
  try {
    await write(deployment_organisation_id)
  } catch {
    ctx.log.error({ requestId }, "a sign-in's audit entry could not be written")
  }
}
