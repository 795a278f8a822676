import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { countOf, written } from '../rows.ts'
import type { Row } from '../tables.ts'

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
    delete from audit_entries where ctid = any(array(
      select ctid from audit_entries where organisation_id = ${organisationId} and timestamp < ${before}
      order by timestamp, id limit ${limit} for update skip locked))`
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

/** How many coalesced entries of refusals and failed sign-ins an actor has since then: not those of reads. */
export const countCoalesced = (tx: Transaction, organisationId: string, actorId: string, since: Date) =>
  countOf(tx`
    select count(*)::int as count from audit_entries
    where organisation_id = ${organisationId} and actor_id = ${actorId}
      and timestamp >= ${since} and coalesce_key is not null and event_type <> 'secret.read'`)

/** The environment of a secret, also of a deleted one that still has versions; undefined for an unknown id. */
export const environmentOfSecret = async (tx: Transaction, id: string): Promise<string | undefined> =>
  (
    await tx<Row<'secret_versions', 'environment_id'>[]>`
      select environment_id from secret_versions where secret_id = ${id} limit 1`
  )[0]?.environment_id

/** Stores a coalesced entry, or adds one to the count of the one with its key; gives the entry's id. */
export const insertOrCount = async (db: Queryable, entry: CoalescedEntry): Promise<string> =>
  written(
    await db<Row<'audit_entries', 'id'>[]>`
      insert into audit_entries ${db(entry)}
      on conflict (coalesce_key) do update set count = audit_entries.count + 1
      returning id`,
  ).id
