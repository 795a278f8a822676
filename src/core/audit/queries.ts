import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { isId } from '../id.ts'
import { type PageRange, rowLimit } from '../pagination.ts'
import { countOf, written } from '../rows.ts'
import type { Row } from '../tables.ts'
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

function entriesInRange(
  db: Queryable,
  organisationId: string,
  { from, to, resourceType, resourceId, eventType, actorType, actorId }: EntryFilter,
  visibility: EntryVisibility,
  range: PageRange,
) {
  const [timestamp = null, id = null] = range.after ?? []
  return db`
    select id, event_type, resource_type, resource_id, actor_type, actor_id, actor_metadata, resource_metadata,
      ${visibility === null ? allValues(db) : visibleValues(db, visibility)},
      description, request_id, timestamp, count
    from audit_entries
    where organisation_id = ${organisationId}
      ${from === undefined ? db`` : db`and timestamp >= ${from}`}
      ${to === undefined ? db`` : db`and timestamp < ${to}`}
      ${resourceType === undefined ? db`` : db`and resource_type = ${resourceType}`}
      ${resourceId === undefined ? db`` : db`and resource_id = ${lowerId(resourceId)}`}
      ${eventType === undefined ? db`` : db`and event_type = ${eventType}`}
      ${actorType === undefined ? db`` : db`and ${hasActorType(db, organisationId, actorType, actorId)}`}
      ${actorId === undefined ? db`` : db`and actor_id = ${actorId}`}
      ${visibility === null ? db`` : db`and ${isVisible(db, visibility.grantsOf)}`}
      ${id === null ? db`` : db`and (timestamp, id) < (${timestamp}::timestamptz, ${id}::uuid)`}
    order by timestamp desc, id desc
    limit ${rowLimit(range)}`
}

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

type Json = ReturnType<Queryable['json']>

/** Who acted in a new entry, and from where. */
export type EntryActor = Row<
  'audit_entries',
  'actor_type' | 'actor_id' | 'ip_address' | 'user_agent' | 'request_id'
> &
  Readonly<{ actor_metadata: Json }>

/** A new entry. */
export type NewEntry = EntryActor &
  Row<
    'audit_entries',
    | 'id'
    | 'organisation_id'
    | 'event_type'
    | 'resource_type'
    | 'resource_id'
    | 'app_id'
    | 'environment_id'
    | 'description'
    | 'timestamp'
  > &
  Readonly<{
    resource_metadata: Json
    old_values: Json | null
    new_values: Json | null
  }>

/** A new entry that counts every request with the same key. */
export type CoalescedEntry = NewEntry & Readonly<{ actor_id: string; coalesce_key: Buffer }>

/** Entries in one statement: each has 18 parameters, of which a statement can have 65,534. */
const ENTRIES_PER_STATEMENT = 1000

/** Stores new entries. */
export async function insert(db: Queryable, entries: readonly NewEntry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += ENTRIES_PER_STATEMENT) {
    await db`insert into audit_entries ${db(entries.slice(from, from + ENTRIES_PER_STATEMENT))}`
  }
}

/** Deletes up to `limit` entries from before then, oldest first; tells how many. Locked ones are passed over. */
export const removeBefore = async (
  tx: Transaction,
  organisationId: string,
  before: Date,
  limit: number,
): Promise<number> => {
  const { count } = await tx`
    delete from audit_entries where id in (
      select id from audit_entries where organisation_id = ${organisationId} and timestamp < ${before}
      order by timestamp, id limit ${limit} for update skip locked
    )`
  return count
}

/** Replaces the new values of an entry. */
export const replaceNewValues = (tx: Transaction, id: string, values: Json) =>
  tx`update audit_entries set new_values = ${values} where id = ${id}`

/** Adds one to the count of the actor's own entry, else of the shared one; false without either. */
export async function countAgain(
  db: Queryable,
  own: CoalescedEntry,
  shared: CoalescedEntry,
): Promise<boolean> {
  const { count } = await db`
    update audit_entries set count = count + 1
    where coalesce_key = coalesce(
      (select coalesce_key from audit_entries where coalesce_key = ${own.coalesce_key}),
      (select coalesce_key from audit_entries where coalesce_key = ${shared.coalesce_key}))`
  return count > 0
}

/** Locks out other transactions that add a coalesced entry of this actor, on every replica. */
export const lockActor = (tx: Transaction, actorId: string) =>
  tx`select pg_advisory_xact_lock(hashtextextended(${`keyward/audit/${actorId}`}, 0))`

/** How many coalesced entries an actor has since then. */
export const countCoalesced = (tx: Transaction, organisationId: string, actorId: string, since: Date) =>
  countOf(tx`
    select count(*)::int as count from audit_entries
    where organisation_id = ${organisationId} and actor_id = ${actorId}
      and timestamp >= ${since} and coalesce_key is not null`)

/** Stores a coalesced entry, or adds one to the count of the one with its key; gives the entry's id. */
export const insertOrCount = async (db: Queryable, entry: CoalescedEntry): Promise<string> =>
  written(
    await db<Row<'audit_entries', 'id'>[]>`
      insert into audit_entries ${db(entry)}
      on conflict (coalesce_key) do update set count = audit_entries.count + 1
      returning id`,
  ).id
