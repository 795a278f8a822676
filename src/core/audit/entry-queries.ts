import type { Fragment, Queryable } from '../../platform/postgres/database.ts'
import { type PageRange, rowLimit } from '../pagination.ts'
import { countOf } from '../rows.ts'
import { accessChanges, canBeAccessChange } from './access-change-queries.ts'
import type { EntryFilter, EntryRow, EntryVisibility } from './entry.ts'
import { conditions, hasOutcome, splitByIndex } from './entry-conditions.ts'

/** Of so many refusals those are looked for that a caller can see: anybody may be refused any number, of anything. */
export const NEWEST_DENIALS = 20_000

/**
 * A page has what matches of so many entries: of others there may be any number, and a read that passes over all of them keeps
 * its connection for long.
 */
export const LOOKED_AT = 20_000

/** The entries of a page have at most this many bytes as JSON, unless a single one has more. */
export const PAGE_BYTES = 1024 * 1024

/** The bytes of an entry's JSON beside the texts that are measured: field names, ids, times, punctuation. */
const BYTES_BESIDE = 768

/**
 * Entries of an organisation, newest first: those, and of them the values, that the caller can see; at most
 * `PAGE_BYTES` of them, but always one. A page that ends after `LOOKED_AT` of them ends with the last one, whether that matches
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
      sum(${bytes(db)}) over newest_first as bytes,
      count(*) filter (where is_end) over (newest_first rows between unbounded preceding and 1 preceding) as ends
    from page
    window newest_first as (order by timestamp desc, id desc)
  )
  select id, event_type, resource_type, resource_id, actor_type, actor_id, actor_metadata, resource_metadata,
    old_values, new_values, description, ip_address, user_agent, request_id, timestamp, count, is_match, is_end, found
  from measured
  where ends = 0 and (place = 1 or (place <= ${range.limit} and bytes <= ${PAGE_BYTES}))
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
  const { appId, environmentId, ...others } = filter
  const about = entriesWhere(db, organisationId, filter, visibility, range)
  const isAboutAPlace = appId !== undefined || environmentId !== undefined
  if (!isAboutAPlace || visibility !== null || !canBeAccessChange(filter)) return about
  return db`
    select * from ((${about}) union all (
      select ${columns(db)}, ${allValues(db)}, true as is_match, false as is_end
      from ${accessChanges(db, organisationId, filter, range)}
      where organisation_id = ${organisationId} ${conditions(db, organisationId, others, range.after)}
      ${newestOf(db, range)}
    )) found
    ${newestOf(db, range)}`
}

function entriesWhere(
  db: Queryable,
  organisationId: string,
  filter: EntryFilter,
  visibility: EntryVisibility,
  range: PageRange,
) {
  const { found, kept } = splitByIndex(filter)
  const isVisible = visibility === null ? db`` : db`and ${visibleTo(db, visibility.grantsOf)}`
  const matches = (those: EntryFilter, after: PageRange['after']) => db`
    ${conditions(db, organisationId, those, after)}
    ${those.outcome === undefined ? db`` : hasOutcome(db, those.outcome)}`
  const ofOrganisation = (those: EntryFilter) =>
    db`where organisation_id = ${organisationId} ${matches(those, range.after)}`
  const values = visibility === null ? allValues(db) : visibleValues(db, visibility)
  const isDenied = filter.outcome === 'denied'
  if (isDenied || (visibility === null && Object.keys(kept).length === 0)) {
    const entries = isDenied ? newestDenials(db, organisationId, filter.from) : db`audit_entries`
    return db`
      select ${columns(db)}, ${values}, true as is_match, false as is_end
      from ${entries} ${ofOrganisation(filter)} ${isVisible}
      ${newestOf(db, range)}`
  }
  const isMatch = db`(true ${matches(kept, null)} ${isVisible})`
  return db`
    select ${columns(db)}, ${values}, is_match, is_end from (
      select *, looked_at = ${LOOKED_AT} as is_end, ${isMatch} as is_match from (
        select *, row_number() over newest_first as looked_at
        from audit_entries ${ofOrganisation(found)}
        window newest_first as (order by timestamp desc, id desc)
        order by timestamp desc, id desc limit ${LOOKED_AT}
      ) looked_at
    ) looked_at
    where is_match or is_end
    ${newestOf(db, range)}`
}

const newestOf = (db: Queryable, range: PageRange): Fragment =>
  db`order by timestamp desc, id desc limit ${rowLimit(range)}`

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
        ${visibility === null ? db`` : db`and ${visibleTo(db, visibility.grantsOf)}`}
      limit ${most}
    ) refusals`)

const columns = (db: Queryable) => db`
  id, event_type, resource_type, resource_id, actor_type, actor_id, actor_metadata, resource_metadata, description, request_id,
  timestamp, count`

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

const visibleTo = (db: Queryable, principalId: string) => db`
  case
    when environment_id is not null
      then environment_id in (select g.environment_id::text from grants g where g.principal_id = ${principalId})
    when app_id is not null
      then app_id in (select g.app_id::text from grants g where g.principal_id = ${principalId})
    else true
  end`
