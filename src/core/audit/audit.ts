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
  responsibleId?: string
  branchId?: string
  shareOf?: string | null
  userId: string | null
  name: string
  role?: Readonly<{ name: string }>
  credential: Credential | null
  source: RequestSource
}>

/** Whoever runs Keyward: who that is, is not known. `by` is the command that was run, or the setting that was made. */
export type Operator = Readonly<{ type: 'operator'; by: string }>

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
  await recordAs(ctx, tx, actor, actor.organisation.id, ...events)
}

/** Records events of a user who need not be a member of the organisation. */
export async function recordAs(
  ctx: Context,
  db: Queryable,
  actor: AuditActor,
  organisationId: string,
  ...events: readonly AuditEvent[]
): Promise<void> {
  const entries = events.map((event) => entryRow(ctx, actor, organisationId, event))
  await queries.insert(db, entries)
}

/** Records what an operator did, in the transaction of the change. Gives the entry's id. */
export async function recordByOperator(
  ctx: Context,
  tx: Queryable,
  operator: Operator,
  organisationId: string,
  event: AuditEvent,
): Promise<string> {
  const entry = newEntry(ctx, operatorColumns(ctx, operator), organisationId, event)
  await queries.insert(tx, [entry])
  return entry.id
}

/** An entry as it is stored. */
export const entryRow = (
  ctx: Context,
  actor: AuditActor,
  organisationId: string,
  event: AuditEvent | Refusal,
): queries.NewEntry & { actor_id: string } => newEntry(ctx, actorColumns(ctx, actor), organisationId, event)

function newEntry<Who extends queries.EntryActor>(
  ctx: Context,
  who: Who,
  organisationId: string,
  event: AuditEvent | Refusal,
) {
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
    ...who,
    resource_metadata: ctx.db.json((resourceMetadata ?? {}) as never),
    old_values: json(oldValues),
    new_values: json(newValues),
    description: event.description,
    timestamp: ctx.clock.now(),
  }
}

const actorColumns = (ctx: Context, { credential, source, ...actor }: AuditActor) => ({
  actor_type: actor.type,
  // A user without a membership has a user id.
  actor_id: (actor.id ?? actor.userId) as string,
  actor_metadata: ctx.db.json({
    name: actor.name,
    role: actor.role?.name ?? null,
    ...(credential !== null && { [`${credential.kind}Id`]: credential.id }),
  }),
  ip_address: source.ipAddress,
  user_agent: source.userAgent,
  request_id: source.requestId,
})

const operatorColumns = (ctx: Context, { type, by }: Operator) => ({
  actor_type: type,
  actor_id: null,
  actor_metadata: ctx.db.json({ name: 'Operator', role: null, by }),
  ip_address: null,
  user_agent: null,
  request_id: null,
})

const NO_VALUES = { resourceMetadata: undefined, oldValues: undefined, newValues: undefined }
