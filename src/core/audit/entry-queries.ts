import type { Fragment, Queryable } from '../../platform/postgres/database.ts'
import { type PageRange, rowLimit } from '../pagination.ts'
import { countOf } from '../rows.ts'
import { accessChanges, canBeAccessChange } from './access-change-queries.ts'
import type { EntryFilter, EntryRow, EntryVisibility } from './entry.ts'
import { conditions, type Filter, hasOutcome } from './entry-conditions.ts'

/** Of so many refusals those are looked for that a caller can see: anybody may be refused any number, of anything. */
export const NEWEST_DENIALS = 20_000

/**
 * Of so many entries a page has those that its caller can see: of those that it can't there may be any number, and a read that
 * passes over all of them keeps its connection from others.
 */
export const LOOKED_AT = 50_000

/** The entries of a page have at most this many bytes as JSON, unless a single one has more. */
export const PAGE_BYTES = 1024 * 1024

/** The bytes of an entry's JSON beside the texts that are measured: field names, ids, times, punctuation. */
const BYTES_BESIDE = 768

/**
 * Entries of an organisation, newest first: those, and of them the values, that the caller can see; at most
 * `PAGE_BYTES` of them, but always one. After `LOOKED_AT` of them it ends with the last one, whether the caller can see that
 * or not. Unused filters are left out of the statement, so that an index can be used.
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
    old_values, new_values, description, ip_address, user_agent, request_id, timestamp, count, is_visible, looked_at, found
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
  filter: EntryFilter,
  visibility: EntryVisibility,
  range: PageRange,
) {
  const { appId, environmentId, from, outcome } = filter
  const matching = (entries: Fragment, place: Fragment) =>
    entriesWhere(db, organisationId, filter, visibility, range, { entries, place })
  if (outcome === 'denied') return matching(newestDenials(db, organisationId, from), db``)
  const all = db`audit_entries`
  if (appId === undefined && environmentId === undefined) return matching(all, db``)
  const about = matching(
    all,
    db`
    ${appId === undefined ? db`` : db`and app_id = ${appId.toLowerCase()}`}
    ${environmentId === undefined ? db`` : db`and environment_id = ${environmentId.toLowerCase()}`}`,
  )
  if (visibility !== null || !canBeAccessChange(filter)) return about
  return db`
    select * from ((${about}) union all (
      ${matching(accessChanges(db, organisationId, filter, range), db``)}
    )) found
    order by timestamp desc, id desc
    limit ${rowLimit(range)}`
}

function entriesWhere(
  db: Queryable,
  organisationId: string,
  filter: Filter,
  visibility: EntryVisibility,
  range: PageRange,
  { entries, place }: { entries: Fragment; place: Fragment },
) {
  const columns = db`id, event_type, resource_type, resource_id, actor_type, actor_id, actor_metadata, resource_metadata,
    description, request_id, timestamp, count`
  const where = db`
    where organisation_id = ${organisationId}
      ${conditions(db, organisationId, filter, range)}
      ${filter.outcome === undefined ? db`` : hasOutcome(db, filter.outcome)}
      ${place}`
  const page = db`order by timestamp desc, id desc limit ${rowLimit(range)}`
  if (visibility === null) {
    return db`
      select ${columns}, ${allValues(db)}, true as is_visible, 0 as looked_at
      from ${entries} ${where} ${page}`
  }
  return db`
    select ${columns}, ${visibleValues(db, visibility)}, ${isVisible(db, visibility.grantsOf)} as is_visible, looked_at
    from (
      select *, row_number() over newest_first ::int as looked_at
      from ${entries} ${where}
      window newest_first as (order by timestamp desc, id desc)
      order by timestamp desc, id desc limit ${LOOKED_AT}
    ) looked_at
    where looked_at = ${LOOKED_AT} or ${isVisible(db, visibility.grantsOf)}
    ${page}`
}

/** The newest refusals of members, up to a number: whoever of them a caller can see, no more are read. */
const newestDenials = (db: Queryable, organisationId: string, since?: Date): Fragment => db`(
  select * from audit_entries
  where organisation_id = ${organisationId} and event_type like '%\\_refused' and actor_metadata ->> 'role' is not null
    ${since === undefined ? db`` : db`and timestamp >= ${since}`}
  order by timestamp desc, id desc
  limit ${NEWEST_DENIALS}
) newest_denials`

/** How many refusals there are since then, of the newest ones those that the caller can see. */
export const countDenials = (
  db: Queryable,
  organisationId: string,
  visibility: EntryVisibility,
  since: Date,
  most: number,
): Promise<number> =>
  countOf(db`
    select count(*)::int as count from (
      select 1 from ${newestDenials(db, organisationId, since)}
      where organisation_id = ${organisationId} ${hasOutcome(db, 'denied')}
        ${visibility === null ? db`` : db`and ${isVisible(db, visibility.grantsOf)}`}
      limit ${most}
    ) refusals`)

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
