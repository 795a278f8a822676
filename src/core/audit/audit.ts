import { createHash, randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/database.ts'
import type { Actor, Credential, RequestOrigin } from '../actor.ts'
import { type AuditEvent, EVENTS, type Resource } from './events.ts'
import type { RefusalType } from './refusals.ts'

/** The entry of a refused request: its target need not be of the resource that its event is about. */
export type Refusal = Readonly<{
  eventType: RefusalType
  resourceType: Resource
  resourceId: string | null
  description: string
  appId: string | null
  environmentId: string | null
}>

/** An event that is counted in one entry a minute, rather than recorded each time. */
export type CoalescedEvent = Refusal | (AuditEvent & { eventType: 'user.sign_in_failed' })

type Entry = AuditEvent | CoalescedEvent

/** Whom an entry names: any caller, or an account that has not proved who it is. */
export type Author = Readonly<{
  type: 'user' | 'service_account'
  id: string | null
  userId: string | null
  name: string
  role?: Readonly<{ name: string }>
  credential: Credential | null
  origin: RequestOrigin
}>

/** Writes one entry, in the transaction of the change that it tells of. */
export const record = (ctx: Context, tx: Queryable, actor: Actor, event: AuditEvent): Promise<void> =>
  recordFor(ctx, tx, actor, actor.organisation.id, event)

/** Writes one entry about somebody who need not belong to the organisation. */
export async function recordFor(
  ctx: Context,
  db: Queryable,
  author: Author,
  organisationId: string,
  event: AuditEvent,
): Promise<void> {
  await db`insert into audit_entries ${db(entry(ctx, author, organisationId, event))}`
}

/** An actor's refusals of one minute beyond this many different ones share one entry that names no target. */
const DISTINCT_PER_MINUTE = 20

/**
 * Writes one entry for a refusal or a failed sign-in, or adds one to the entry of the same actor, event, target and
 * address in the same minute. Whoever asks for one thing after the other can't fill the trail with it.
 */
export async function recordCoalesced(
  ctx: Context,
  author: Author,
  organisationId: string,
  event: CoalescedEvent,
): Promise<void> {
  const minute = Math.floor(ctx.clock.now().getTime() / 60_000)
  const [recent] = await ctx.db<{ entries: number }[]>`
    select count(*)::int as entries from audit_entries
    where organisation_id = ${organisationId} and actor_id = ${author.id ?? author.userId}
      and timestamp >= ${new Date(minute * 60_000)} and coalesce_key is not null`
  const isMany = (recent?.entries ?? 0) >= DISTINCT_PER_MINUTE
  const row = entry(ctx, author, organisationId, isMany ? withoutTarget(event) : event)
  const same = [row.actor_id, row.event_type, row.resource_type, row.resource_id, row.ip_address, minute]
  const coalesce_key = createHash('sha256').update(JSON.stringify(same)).digest()
  await ctx.db`
    insert into audit_entries ${ctx.db({ ...row, coalesce_key })}
    on conflict (coalesce_key) do update set count = audit_entries.count + 1`
}

const withoutTarget = (event: CoalescedEvent): CoalescedEvent => ({
  ...event,
  resourceId: null,
  appId: null,
  environmentId: null,
  description: 'Many requests were refused within a minute.',
})

const resourceOf = (event: Entry): Resource =>
  'resourceType' in event ? event.resourceType : EVENTS[event.eventType].resource

function entry(ctx: Context, author: Author, organisationId: string, event: Entry) {
  const { credential } = author
  return {
    id: randomUUID(),
    organisation_id: organisationId,
    event_type: event.eventType,
    resource_type: resourceOf(event),
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
    resource_metadata: ctx.db.json((event.resourceMetadata ?? {}) as never),
    old_values: json(event.oldValues),
    new_values: json(event.newValues),
    description: event.description,
    ip_address: author.origin.ipAddress,
    user_agent: author.origin.userAgent,
    request_id: author.origin.requestId,
    timestamp: ctx.clock.now(),
  }
}
