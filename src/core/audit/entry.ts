import { type Static, Type } from '@sinclair/typebox'
import { actorHasGlobalAccess } from '../access.ts'
import type { Actor } from '../actor.ts'
import { ActorType } from '../contract/references.ts'
import { Nullable, Timestamp } from '../schema.ts'
import type { Row } from '../tables.ts'

type Values = Record<string, unknown>

/** An entry of the audit log as it is read. */
export type EntryRow = Row<
  'audit_entries',
  | 'id'
  | 'event_type'
  | 'resource_type'
  | 'resource_id'
  | 'actor_type'
  | 'actor_id'
  | 'actor_metadata'
  | 'resource_metadata'
  | 'old_values'
  | 'new_values'
  | 'description'
  | 'ip_address'
  | 'user_agent'
  | 'request_id'
  | 'timestamp'
  | 'count'
> &
  Readonly<{
    actor_metadata: Values
    resource_metadata: Values
    old_values: Values | null
    new_values: Values | null
    /** Whether it matches, and the caller can see it: it may be there only to tell where the page ends. */
    is_match: boolean
    /** Whether no more entries were looked at. */
    is_end: boolean
    /** How many entries the page would have without its limit in bytes: one more than its limit when there are others. */
    found: number
  }>

const Anything = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })

/** An entry of the audit log as it is shown. */
export const Entry = Type.Object({
  id: Type.String(),
  eventType: Type.String({ description: 'What happened, such as `role.created`.' }),
  resourceType: Type.String(),
  resourceId: Nullable(Type.String()),
  actorType: ActorType,
  actorId: Nullable(
    Type.String({
      description:
        "A membership's id (a user's where there is none) or a service account's; null for an operator.",
    }),
  ),
  actorMetadata: Anything('The actor’s name and role at that time.'),
  resourceMetadata: Anything('The resource’s name at that time.'),
  oldValues: Nullable(Anything('Values before.')),
  newValues: Nullable(Anything('Values after.')),
  description: Type.String({ description: 'What happened, in a sentence.' }),
  ipAddress: Nullable(Type.String()),
  userAgent: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
  timestamp: Timestamp(),
  count: Type.Integer({
    description:
      'How often it happened within the minute; more than 1 for refusals, failed sign-ins and reads only.',
  }),
})
export type Entry = Static<typeof Entry>

/** The entries to look for; a field that is left out restricts nothing. `from` is inclusive, `to` exclusive. */
export type EntryFilter = Readonly<{
  from?: Date
  to?: Date
  resourceType?: string
  resourceId?: string
  eventType?: string
  actorType?: string
  actorId?: string
  /** About the app or the environment, and what is in it. */
  appId?: string
  environmentId?: string
  /**
   * Whether a request was refused; everything else is done. `denied` leaves out what only a new sign-in was missing for, and
   * what people without a membership sent.
   */
  outcome?: 'refused' | 'denied' | 'done'
}>

/**
 * What a caller without global access can see: entries about what `grantsOf` was granted, and addresses in entries of
 * the actors `ids`, the caller's own. Null for global access, which sees everything.
 */
export type EntryVisibility = Readonly<{ grantsOf: string; ids: readonly string[] }> | null

/** The part of the audit log that the actor can see; its entries name it by its membership or its user. */
export const visibilityFor = (actor: Actor): EntryVisibility =>
  actorHasGlobalAccess(actor)
    ? null
    : { grantsOf: actor.id, ids: actor.userId === null ? [actor.id] : [actor.id, actor.userId] }

/** An entry as it is shown; the query already left out what the caller may not see. */
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
