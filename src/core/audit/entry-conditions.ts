import type { Fragment, Queryable } from '../../platform/postgres/database.ts'
import { isId } from '../id.ts'
import type { PageRange } from '../pagination.ts'
import { SIGN_IN_AGAIN } from '../sessions/policy.ts'
import type { EntryFilter } from './entry.ts'

/** What is looked for, but the app and the environment. */
export type Filter = Omit<EntryFilter, 'appId' | 'environmentId'>

/** What entries and `audit_access_changes` are both looked for by. */
export function conditions(
  db: Queryable,
  organisationId: string,
  filter: Filter,
  range: PageRange,
): Fragment {
  const { from, to, resourceType, resourceId, eventType, actorType, actorId } = filter
  const [timestamp = null, id = null] = range.after ?? []
  return db`
      ${from === undefined ? db`` : db`and timestamp >= ${from}`}
      ${to === undefined ? db`` : db`and timestamp < ${to}`}
      ${resourceType === undefined ? db`` : db`and resource_type = ${resourceType}`}
      ${resourceId === undefined ? db`` : db`and resource_id = ${lowerId(resourceId)}`}
      ${eventType === undefined ? db`` : db`and event_type = ${eventType}`}
      ${actorType === undefined ? db`` : db`and ${hasActorType(db, organisationId, actorType, actorId)}`}
      ${actorId === undefined ? db`` : db`and actor_id = ${actorId}`}
      ${id === null ? db`` : db`and (timestamp, id) < (${timestamp}::timestamptz, ${id}::uuid)`}`
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
