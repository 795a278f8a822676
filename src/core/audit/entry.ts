import { type Static, Type } from '@sinclair/typebox'
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

/** What decides how much of an entry someone is shown. */
export type Viewer = Readonly<{ ids: readonly (string | null)[]; everything: boolean }>

/** A caller as the audit trail looks at it: both under the membership's id and under the user's. */
export const viewerOf = (actor: Actor, everything: boolean): Viewer => ({
  ids: [actor.id, actor.userId],
  everything,
})

/**
 * An entry as it is shown to a viewer. Where others called from is for global access alone, and so is which apps and
 * environments a change of access named.
 */
export function present(row: EntryRow, viewer: Viewer): Entry {
  const showsOrigin = viewer.everything || viewer.ids.includes(row.actor_id)
  const showsValues = viewer.everything || !row.event_type.endsWith('.access_changed')
  return {
    id: row.id,
    eventType: row.event_type,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    actorType: row.actor_type,
    actorId: row.actor_id,
    actorMetadata: row.actor_metadata,
    resourceMetadata: row.resource_metadata,
    oldValues: showsValues ? row.old_values : null,
    newValues: showsValues ? row.new_values : null,
    description: row.description,
    ipAddress: showsOrigin ? row.ip_address : null,
    userAgent: showsOrigin ? row.user_agent : null,
    requestId: row.request_id,
    timestamp: row.timestamp.toISOString(),
    count: row.count,
  }
}
