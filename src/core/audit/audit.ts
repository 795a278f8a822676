import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor, Credential, RequestSource } from '../actor.ts'
import { type AuditEvent, EVENTS, type Refusal } from './events.ts'

/** Whom an entry names: any caller, or an account that has not proved who it is. */
export type AuditActor = Readonly<{
  type: 'user' | 'service_account'
  id: string | null
  userId: string | null
  name: string
  role?: Readonly<{ name: string }>
  credential: Credential | null
  source: RequestSource
}>

/** Writes one entry, in the transaction of the change that it tells of. */
export const record = (ctx: Context, tx: Queryable, actor: Actor, event: AuditEvent): Promise<void> =>
  recordAs(ctx, tx, actor, actor.organisation.id, event)

/** Entries in one statement: each has two dozen parameters, of which a statement can have 65,534. */
const ENTRIES_PER_STATEMENT = 1000

/** Writes the entries of one change that tells of many things, in its transaction. */
export async function recordAll(
  ctx: Context,
  tx: Queryable,
  actor: Actor,
  events: readonly AuditEvent[],
): Promise<void> {
  const rows = events.map((event) => entryRow(ctx, actor, actor.organisation.id, event))
  for (let from = 0; from < rows.length; from += ENTRIES_PER_STATEMENT) {
    await tx`insert into audit_entries ${tx(rows.slice(from, from + ENTRIES_PER_STATEMENT))}`
  }
}

/** Writes one entry about somebody who need not belong to the organisation. */
export async function recordAs(
  ctx: Context,
  db: Queryable,
  author: AuditActor,
  organisationId: string,
  event: AuditEvent,
): Promise<void> {
  await db`insert into audit_entries ${db(entryRow(ctx, author, organisationId, event))}`
}

/** An entry as it is stored. */
export function entryRow(
  ctx: Context,
  author: AuditActor,
  organisationId: string,
  event: AuditEvent | Refusal,
) {
  const { credential } = author
  const values = 'resourceType' in event ? NO_VALUES : event
  const json = (value: object | undefined) => (value === undefined ? null : ctx.db.json(value as never))
  return {
    id: randomUUID(),
    organisation_id: organisationId,
    event_type: event.eventType,
    resource_type: 'resourceType' in event ? event.resourceType : EVENTS[event.eventType].resource,
    resource_id: event.resourceId,
    app_id: event.appId ?? null,
    environment_id: event.environmentId ?? null,
    actor_type: author.type,
    actor_id: author.id ?? author.userId,
    actor_metadata: ctx.db.json({
      name: author.name,
      role: author.role?.name ?? null,
      ...(credential !== null && { [`${credential.kind}Id`]: credential.id }),
    }),
    resource_metadata: ctx.db.json((values.resourceMetadata ?? {}) as never),
    old_values: json(values.oldValues),
    new_values: json(values.newValues),
    description: event.description,
    ip_address: author.source.ipAddress,
    user_agent: author.source.userAgent,
    request_id: author.source.requestId,
    timestamp: ctx.clock.now(),
  }
}

const NO_VALUES = { resourceMetadata: undefined, oldValues: undefined, newValues: undefined }
