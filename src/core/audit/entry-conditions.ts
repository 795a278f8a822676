import type { Fragment, Queryable } from '../../platform/postgres/database.ts'
import { isId } from '../id.ts'
import type { PageRange } from '../pagination.ts'
import { SIGN_IN_AGAIN } from '../sessions/policy.ts'
import type { EntryFilter } from './entry.ts'

/** What entries are looked for by, but their outcome; a part of it, what `audit_access_changes` is looked for by. */
export function conditions(
  db: Queryable,
  organisationId: string,
  filter: EntryFilter,
  after: PageRange['after'],
): Fragment {
  const { from, to, resourceType, resourceId, eventType, actorType, actorId, appId, environmentId } = filter
  const [timestamp = null, id = null] = after ?? []
  return db`
      ${appId === undefined ? db`` : db`and app_id = ${appId.toLowerCase()}`}
      ${environmentId === undefined ? db`` : db`and environment_id = ${environmentId.toLowerCase()}`}
      ${from === undefined ? db`` : db`and timestamp >= ${from}`}
      ${to === undefined ? db`` : db`and timestamp < ${to}`}
      ${resourceType === undefined ? db`` : db`and resource_type = ${resourceType}`}
      ${resourceId === undefined ? db`` : db`and resource_id = ${lowerId(resourceId)}`}
      ${eventType === undefined ? db`` : db`and event_type = ${eventType}`}
      ${actorType === undefined ? db`` : db`and ${hasActorType(db, organisationId, actorType, actorId)}`}
      ${actorId === undefined ? db`` : db`and actor_id = ${actorId}`}
      ${id === null ? db`` : db`and (timestamp, id) < (${timestamp}::timestamptz, ${id}::uuid)`}`
}

type FilterName = Exclude<keyof EntryFilter, 'from' | 'to'>

/** What the indexes of entries begin with, before the time: the first one that a filter has finds the fewest entries. */
const INDEXES: readonly (readonly FilterName[])[] = [
  ['resourceId'],
  ['environmentId', 'eventType'],
  ['environmentId'],
  ['appId', 'eventType'],
  ['appId'],
  ['actorId', 'eventType'],
  ['actorId', 'resourceType'],
  ['actorId'],
  ['actorType', 'eventType'],
  ['eventType'],
  ['outcome'],
  ['actorType', 'resourceType'],
  ['resourceType'],
  ['actorType'],
]

/** Splits a filter into what an index finds entries by, newest first, and what these are then to be looked at for. */
export function splitByIndex({ from, to, ...filter }: EntryFilter): {
  found: EntryFilter
  kept: EntryFilter
} {
  const isFound = (name: FilterName) => filter[name] !== undefined && filter[name] !== 'done'
  const index = INDEXES.find((names) => names.every(isFound)) ?? []
  // The type of an actor is looked up once.
  const names: readonly string[] = index.includes('actorId') ? [...index, 'actorType'] : index
  const part = (isOfIndex: boolean) =>
    Object.fromEntries(Object.entries(filter).filter(([name]) => names.includes(name) === isOfIndex))
  return { found: { ...(from && { from }), ...(to && { to }), ...part(true) }, kept: part(false) }
}

/** As the indexes of refusals have it, so that they are used. */
export const hasOutcome = (db: Queryable, outcome: NonNullable<EntryFilter['outcome']>) =>
  outcome === 'done'
    ? db`and event_type not like '%\\_refused'`
    : db`and event_type like '%\\_refused' ${
        outcome === 'denied'
          ? db`and actor_metadata ->> 'role' is not null and not starts_with(description, ${SIGN_IN_AGAIN})`
          : db``
      }`

/** An actor has one type: whether it is this one is looked up once, instead of in each of the actor's entries. */
const hasActorType = (
  db: Queryable,
  organisationId: string,
  actorType: string,
  actorId: string | undefined,
) =>
  actorId === undefined
    ? db`actor_type = ${actorType}`
    : db`${actorType} = (
        select actor_type from audit_entries where organisation_id = ${organisationId} and actor_id = ${actorId}
        order by timestamp desc, id desc limit 1)`

const lowerId = (text: string): string => (isId(text) ? text.toLowerCase() : text)
