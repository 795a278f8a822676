import { type Static, Type } from '@sinclair/typebox'
import { actorHasGlobalAccess } from '../access.ts'
import type { Actor } from '../actor.ts'
import { Nullable, Timestamp } from '../schema.ts'

type Values = Record<string, unknown>

/** An entry of the audit trail as it is read. */
export type EntryRow = Readonly<{
  id: string
  event_type: string
  resource_type: string
  resource_id: string | null
  actor_type: 'user' | 'service_account'
  actor_id: string
  actor_metadata: Values
  resource_metadata: Values
  old_values: Values | null
  new_values: Values | null
  description: string
  ip_address: string | null
  user_agent: string | null
  request_id: string | null
  timestamp: Date
  count: number
  /** How many entries the page would have if it had no bound in bytes: one more than its limit when there are others. */
  found: number
}>

const Anything = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })

/** An entry of the audit trail as it is shown. */
export const Entry = Type.Object({
  id: Type.String(),
  eventType: Type.String({ description: 'What happened, such as `role.created`.' }),
  resourceType: Type.String(),
  resourceId: Nullable(Type.String()),
  actorType: Type.Union([Type.Literal('user'), Type.Literal('service_account')]),
  actorId: Type.String({
    description: "A membership's id (a user's where there is none) or a service account's.",
  }),
  actorMetadata: Anything('Who it was at the time.'),
  resourceMetadata: Anything('What it was at the time.'),
  oldValues: Nullable(Anything('What was before.')),
  newValues: Nullable(Anything('What is since.')),
  description: Type.String({ description: 'What happened, in a sentence.' }),
  ipAddress: Nullable(Type.String()),
  userAgent: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
  timestamp: Timestamp(),
  count: Type.Integer({
    description: 'How often it happened within the minute; more than 1 for refusals only.',
  }),
})
export type Entry = Static<typeof Entry>

/** What entries to look for; whatever is left out is not restricted. `from` is inclusive, `to` exclusive. */
export type EntryFilter = Readonly<{
  from?: Date
  to?: Date
  resourceType?: string
  resourceId?: string
  eventType?: string
  actorId?: string
}>

/**
 * Someone without global access, as the audit trail looks at it: whose grants decide which entries it is shown, and
 * under which ids it called itself, the membership's and the user's. Null is global access, which is shown everything.
 */
export type EntryVisibility = Readonly<{ grantsOf: string; ids: readonly string[] }> | null

/** A caller as the audit trail looks at it. */
export const visibilityFor = (actor: Actor): EntryVisibility =>
  actorHasGlobalAccess(actor)
    ? null
    : { grantsOf: actor.id, ids: actor.userId === null ? [actor.id] : [actor.id, actor.userId] }

/** An entry as it is shown; what its viewer may not see was never read. */
export const present = (row: EntryRow): Entry => ({
  id: row.id,
  eventType: row.event_type,
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  actorType: row.actor_type,
  actorId: row.actor_id,
  actorMetadata: row.actor_metadata,
  resourceMetadata: row.resource_metadata,
  oldValues: row.old_values,
  newValues: row.new_values,
  description: row.description,
  ipAddress: row.ip_address,
  userAgent: row.user_agent,
  requestId: row.request_id,
  timestamp: row.timestamp.toISOString(),
  count: row.count,
})
