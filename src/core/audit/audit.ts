import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor, Credential, RequestSource } from '../actor.ts'
import { type AuditEvent, EVENTS } from './events.ts'
import * as queries from './queries.ts'
import type { Refusal } from './refusals.ts'

/** The user or service account that an entry names: a caller, or the account of a failed sign-in. */
export type AuditActor = Readonly<{
  type: 'user' | 'service_account'
  id: string | null
  userId: string | null
  name: string
  role?: Readonly<{ name: string }>
  credential: Credential | null
  source: RequestSource
}>

/** Records an actor's change, in the transaction of the change. */
export const record = (ctx: Context, tx: Queryable, actor: Actor, event: AuditEvent): Promise<void> =>
  recordAs(ctx, tx, actor, actor.organisation.id, event)

/** Records several events of one change, in its transaction. */
export async function recordAll(
  ctx: Context,
  tx: Queryable,
  actor: Actor,
  events: readonly AuditEvent[],
): Promise<void> {
  const entries = events.map((event) => entryRow(ctx, actor, actor.organisation.id, event))
  await queries.insert(tx, entries)
}

/** Records an event of a user who need not be a member of the organisation. */
export async function recordAs(
  ctx: Context,
  db: Queryable,
  actor: AuditActor,
  organisationId: string,
  event: AuditEvent,
): Promise<void> {
  await queries.insert(db, [entryRow(ctx, actor, organisationId, event)])
}

/** An entry as it is stored. */
export function entryRow(
  ctx: Context,
  actor: AuditActor,
  organisationId: string,
  event: AuditEvent | Refusal,
): queries.NewEntry {
  const { credential } = actor
  const { resourceMetadata, oldValues, newValues } = 'resourceType' in event ? NO_VALUES : event
  const json = (value: object | undefined) => (value === undefined ? null : ctx.db.json(value as never))
  return {
    id: randomUUID(),
    organisation_id: organisationId,
    event_type: event.eventType,
    resource_type: 'resourceType' in event ? event.resourceType : EVENTS[event.eventType].resource,
    resource_id: event.resourceId,
    app_id: event.appId ?? null,
    environment_id: event.environmentId ?? null,
    actor_type: actor.type,
    // A user without a membership has a user id.
    actor_id: (actor.id ?? actor.userId) as string,
    actor_metadata: ctx.db.json({
      name: actor.name,
      role: actor.role?.name ?? null,
      ...(credential !== null && { [`${credential.kind}Id`]: credential.id }),
    }),
    resource_metadata: ctx.db.json((resourceMetadata ?? {}) as never),
    old_values: json(oldValues),
    new_values: json(newValues),
    description: event.description,
    ip_address: actor.source.ipAddress,
    user_agent: actor.source.userAgent,
    request_id: actor.source.requestId,
    timestamp: ctx.clock.now(),
  }
}

const NO_VALUES = { resourceMetadata: undefined, oldValues: undefined, newValues: undefined }
