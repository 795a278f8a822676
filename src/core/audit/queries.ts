import type { Queryable } from '../../platform/postgres/database.ts'
import { isId } from '../id.ts'
import { type PageRange, rowLimit } from '../pagination.ts'
import type { EntryFilter, EntryRow, EntryVisibility } from './entry.ts'

/** A page's entries as JSON have at most this many bytes together, unless a single one has more. */
export const PAGE_BYTES = 1024 * 1024

/** What an entry's JSON has beside the texts that are measured: names of fields, ids, times, punctuation. */
const BYTES_BESIDE = 768

/**
 * Entries of an organisation, newest first: those that the viewer may see, of them what it may see, and at most
 * `PAGE_BYTES` of them, but always one. Filters that are not used leave no trace in the statement, so that indexes
 * serve the rest.
 */
export const list = (
  db: Queryable,
  organisationId: string,
  filter: EntryFilter,
  viewer: EntryVisibility,
  window: PageRange,
) => db<EntryRow[]>`
  with page as (
    ${entriesInWindow(db, organisationId, filter, viewer, window)}
  ), measured as (
    select *,
      count(*) over () ::int as found,
      row_number() over newest_first as place,
      sum(${bytes(db)}) over newest_first as bytes
    from page
    window newest_first as (order by timestamp desc, id desc)
  )
  select id, event_type, resource_type, resource_id, actor_type, actor_id, actor_metadata, resource_metadata,
    old_values, new_values, description, ip_address, user_agent, request_id, timestamp, count, found
  from measured
  where place = 1 or (place <= ${window.limit} and bytes <= ${PAGE_BYTES})
  order by timestamp desc, id desc`

function entriesInWindow(
  db: Queryable,
  organisationId: string,
  { from, to, resourceType, resourceId, eventType, actorId }: EntryFilter,
  viewer: EntryVisibility,
  window: PageRange,
) {
  const [timestamp = null, id = null] = window.after ?? []
  return db`
    select id, event_type, resource_type, resource_id, actor_type, actor_id, actor_metadata, resource_metadata,
      ${viewer === null ? everything(db) : visibleTo(db, viewer)},
      description, request_id, timestamp, count
    from audit_entries
    where organisation_id = ${organisationId}
      ${from === undefined ? db`` : db`and timestamp >= ${from}`}
      ${to === undefined ? db`` : db`and timestamp < ${to}`}
      ${resourceType === undefined ? db`` : db`and resource_type = ${resourceType}`}
      ${resourceId === undefined ? db`` : db`and resource_id = ${lowerId(resourceId)}`}
      ${eventType === undefined ? db`` : db`and event_type = ${eventType}`}
      ${actorId === undefined ? db`` : db`and actor_id = ${actorId}`}
      ${viewer === null ? db`` : db`and ${isVisible(db, viewer.grantsOf)}`}
      ${id === null ? db`` : db`and (timestamp, id) < (${timestamp}::timestamptz, ${id}::uuid)`}
    order by timestamp desc, id desc
    limit ${rowLimit(window)}`
}

const everything = (db: Queryable) => db`old_values, new_values, ip_address, user_agent`

/** Which apps and environments a change of access named is for global access alone, and so is where others called from. */
function visibleTo(db: Queryable, { ids }: NonNullable<EntryVisibility>) {
  const namesEnvironments = db`event_type like '%.access\\_changed'`
  const isOwn = db`actor_id = any(${[...ids]}::uuid[])`
  return db`
    case when ${namesEnvironments} then null else old_values end as old_values,
    case when ${namesEnvironments} then null else new_values end as new_values,
    case when ${isOwn} then ip_address end as ip_address,
    case when ${isOwn} then user_agent end as user_agent`
}

/** How long an entry of the enclosing query is as JSON, a little more rather than less. */
const bytes = (db: Queryable) => db`
  ${BYTES_BESIDE}::int + octet_length(actor_metadata::text) + octet_length(resource_metadata::text)
    + coalesce(octet_length(old_values::text), 0) + coalesce(octet_length(new_values::text), 0)
    + octet_length(to_json(description)::text) + coalesce(octet_length(to_json(user_agent)::text), 0)`

const isVisible = (db: Queryable, principalId: string) => db`
  case
    when environment_id is not null
      then environment_id in (select g.environment_id::text from grants g where g.principal_id = ${principalId})
    when app_id is not null
      then app_id in (select g.app_id::text from grants g where g.principal_id = ${principalId})
    else true
  end`

const lowerId = (text: string): string => (isId(text) ? text.toLowerCase() : text)
