import type { Queryable } from '../../platform/database.ts'
import { rowsToRead, type Window } from '../pagination.ts'
import { isId } from '../schema.ts'
import type { EntryFilter, EntryRow } from './entry.ts'

const COLUMNS = [
  'id',
  'event_type',
  'resource_type',
  'resource_id',
  'actor_type',
  'actor_id',
  'actor_metadata',
  'resource_metadata',
  'old_values',
  'new_values',
  'description',
  'ip_address',
  'user_agent',
  'request_id',
  'timestamp',
  'count',
]

/**
 * Entries of an organisation, newest first. With `grantsOf`, those about an app or an environment only where this
 * principal is granted it. Filters that are not used leave no trace in the statement, so that indexes serve the rest.
 */
export const list = (
  db: Queryable,
  organisationId: string,
  filter: EntryFilter,
  grantsOf: string | null,
  window: Window,
) => {
  const { from, to, resourceType, resourceId, eventType, actorId } = filter
  const [timestamp = null, id = null] = window.after ?? []
  return db<EntryRow[]>`
    select ${db(COLUMNS)} from audit_entries
    where organisation_id = ${organisationId}
      ${from === undefined ? db`` : db`and timestamp >= ${from}`}
      ${to === undefined ? db`` : db`and timestamp < ${to}`}
      ${resourceType === undefined ? db`` : db`and resource_type = ${resourceType}`}
      ${resourceId === undefined ? db`` : db`and resource_id = ${lowerId(resourceId)}`}
      ${eventType === undefined ? db`` : db`and event_type = ${eventType}`}
      ${actorId === undefined ? db`` : db`and actor_id = ${actorId}`}
      ${grantsOf === null ? db`` : db`and ${isVisible(db, grantsOf)}`}
      ${id === null ? db`` : db`and (timestamp, id) < (${timestamp}::timestamptz, ${id}::uuid)`}
    order by timestamp desc, id desc
    limit ${rowsToRead(window)}`
}

const isVisible = (db: Queryable, principalId: string) => db`
  case
    when environment_id is not null
      then environment_id in (select g.environment_id::text from grants g where g.principal_id = ${principalId})
    when app_id is not null
      then app_id in (select g.app_id::text from grants g where g.principal_id = ${principalId})
    else true
  end`

const lowerId = (text: string): string => (isId(text) ? text.toLowerCase() : text)
