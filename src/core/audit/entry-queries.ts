import type { Fragment, Queryable } from '../../platform/postgres/database.ts'
import { isId } from '../id.ts'
import { type PageRange, rowLimit } from '../pagination.ts'
import { countOf } from '../rows.ts'
import { SIGN_IN_AGAIN } from '../sessions/policy.ts'
import type { EntryFilter, EntryRow, EntryVisibility } from './entry.ts'

/** The entries of a page have at most this many bytes as JSON, unless a single one has more. */
export const PAGE_BYTES = 1024 * 1024

/** The bytes of an entry's JSON beside the texts that are measured: field names, ids, times, punctuation. */
const BYTES_BESIDE = 768

/**
 * Entries of an organisation, newest first: those, and of them the values, that the caller can see; at most
 * `PAGE_BYTES` of them, but always one. Unused filters are left out of the statement, so that an index can be used.
 */
export const list = (
  db: Queryable,
  organisationId: string,
  filter: EntryFilter,
  visibility: EntryVisibility,
  range: PageRange,
) => db<EntryRow[]>`
  with page as (
    ${entriesInRange(db, organisationId, filter, visibility, range)}
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
  where place = 1 or (place <= ${range.limit} and bytes <= ${PAGE_BYTES})
  order by timestamp desc, id desc`

/**
 * Entries about an app or an environment are found by what they are about. Changes of access name environments among their
 * values: those are looked for apart, for callers with global access, who alone are shown them.
 */
function entriesInRange(
  db: Queryable,
  organisationId: string,
  { appId, environmentId, ...filter }: EntryFilter,
  visibility: EntryVisibility,
  range: PageRange,
) {
  const matching = (entries: Fragment, place: Fragment) =>
    entriesWhere(db, organisationId, filter, visibility, range, { entries, place })
  const all = db`audit_entries`
  if (appId === undefined && environmentId === undefined) return matching(all, db``)
  const about = matching(
    all,
    db`
    ${appId === undefined ? db`` : db`and app_id = ${appId.toLowerCase()}`}
    ${environmentId === undefined ? db`` : db`and environment_id = ${environmentId.toLowerCase()}`}`,
  )
  if (visibility !== null) return about
  return db`
    select * from ((${about}) union all (
      ${matching(accessChanges(db, placesOf(db, organisationId, appId, environmentId)), db``)}
    )) found
    order by timestamp desc, id desc
    limit ${rowLimit(range)}`
}

/**
 * The changes of access that name one of these environments. Without the offset the other filters would be looked for first,
 * and the environments in each entry that has them.
 */
const accessChanges = (db: Queryable, places: Fragment): Fragment => db`(
  select * from audit_entries
  where event_type in ('member.access_changed', 'service_account.access_changed')
    and audit_access_environments(old_values, new_values) && ${places}
  offset 0
) access_changes`

/** The environment, or those that the app has now; none where the app has not this one. */
const placesOf = (
  db: Queryable,
  organisationId: string,
  appId: string | undefined,
  environmentId: string | undefined,
): Fragment =>
  appId === undefined
    ? db`array[${environmentId?.toLowerCase() ?? null}::text]`
    : db`array(
        select e.id::text from environments e where e.organisation_id = ${organisationId} and e.app_id = ${appId}
          ${environmentId === undefined ? db`` : db`and e.id = ${environmentId}`})`

function entriesWhere(
  db: Queryable,
  organisationId: string,
  filter: Omit<EntryFilter, 'appId' | 'environmentId'>,
  visibility: EntryVisibility,
  range: PageRange,
  { entries, place }: { entries: Fragment; place: Fragment },
) {
  const { from, to, resourceType, resourceId, eventType, actorType, actorId, outcome } = filter
  const [timestamp = null, id = null] = range.after ?? []
  return db`
    select id, event_type, resource_type, resource_id, actor_type, actor_id, actor_metadata, resource_metadata,
      ${visibility === null ? allValues(db) : visibleValues(db, visibility)},
      description, request_id, timestamp, count
    from ${entries}
    where organisation_id = ${organisationId}
      ${from === undefined ? db`` : db`and timestamp >= ${from}`}
      ${to === undefined ? db`` : db`and timestamp < ${to}`}
      ${resourceType === undefined ? db`` : db`and resource_type = ${resourceType}`}
      ${resourceId === undefined ? db`` : db`and resource_id = ${lowerId(resourceId)}`}
      ${eventType === undefined ? db`` : db`and event_type = ${eventType}`}
      ${outcome === undefined ? db`` : hasOutcome(db, outcome)}
      ${actorType === undefined ? db`` : db`and ${hasActorType(db, organisationId, actorType, actorId)}`}
      ${actorId === undefined ? db`` : db`and actor_id = ${actorId}`}
      ${place}
      ${visibility === null ? db`` : db`and ${isVisible(db, visibility.grantsOf)}`}
      ${id === null ? db`` : db`and (timestamp, id) < (${timestamp}::timestamptz, ${id}::uuid)`}
    order by timestamp desc, id desc
    limit ${rowLimit(range)}`
}

/** As the indexes of refusals have it, so that they are used. */
const hasOutcome = (db: Queryable, outcome: NonNullable<EntryFilter['outcome']>) =>
  outcome === 'done'
    ? db`and event_type not like '%\\_refused'`
    : db`and event_type like '%\\_refused' ${
        outcome === 'denied'
          ? db`and actor_metadata ->> 'role' is not null and not starts_with(description, ${SIGN_IN_AGAIN})`
          : db``
      }`

/** How many refusals there are since then, of those that the caller can see. */
export const countDenials = (
  db: Queryable,
  organisationId: string,
  visibility: EntryVisibility,
  since: Date,
  most: number,
): Promise<number> =>
  countOf(db`
    select count(*)::int as count from (
      select 1 from audit_entries
      where organisation_id = ${organisationId} and timestamp >= ${since} ${hasOutcome(db, 'denied')}
        ${visibility === null ? db`` : db`and ${isVisible(db, visibility.grantsOf)}`}
      limit ${most}
    ) refusals`)

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

const allValues = (db: Queryable) => db`old_values, new_values, ip_address, user_agent`

/** Without the environments that a change of access named, and without other actors' addresses. */
function visibleValues(db: Queryable, { ids }: NonNullable<EntryVisibility>) {
  const namesEnvironments = db`event_type like '%.access\\_changed'`
  const isOwn = db`actor_id = any(${[...ids]}::uuid[])`
  return db`
    case when ${namesEnvironments} then null else old_values end as old_values,
    case when ${namesEnvironments} then null else new_values end as new_values,
    case when ${isOwn} then ip_address end as ip_address,
    case when ${isOwn} then user_agent end as user_agent`
}

/** The length of an entry of the enclosing query as JSON, rather too large than too small. */
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
