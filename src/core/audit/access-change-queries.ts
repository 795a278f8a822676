import type { Fragment, Queryable, Transaction } from '../../platform/postgres/database.ts'
import { type PageRange, rowLimit } from '../pagination.ts'
import type { EntryFilter } from './entry.ts'
import { conditions } from './entry-conditions.ts'

/** The events of `audit_access_changes`: a trigger names there the environments of their entries. */
const EVENTS = ['member.access_changed', 'service_account.access_changed']

/**
 * The newest changes of access that match, in the place of `audit_entries`: those that name the environment, or one that the
 * app has now. As many as a page has are looked for in each environment, and no more entries are read.
 */
export const accessChanges = (
  db: Queryable,
  organisationId: string,
  { appId, environmentId, ...filter }: EntryFilter,
  range: PageRange,
): Fragment => db`(
  select e.* from (
    select distinct timestamp, id from (${placesOf(db, organisationId, appId, environmentId)}) places, lateral (
      select timestamp, id from (
        select timestamp, entry_id as id, actor_id, resource_id::text,
          case when by_user then 'user' else 'service_account' end as actor_type,
          case when of_member then 'member' else 'service_account' end as resource_type,
          case when of_member then 'member.access_changed' else 'service_account.access_changed' end as event_type
        from audit_access_changes where environment_id = places.environment_id
      ) changes
      where true ${conditions(db, organisationId, filter, range.after)}
      order by timestamp desc, id desc
      limit ${rowLimit(range)}
    ) of_place
    order by timestamp desc, id desc
    limit ${rowLimit(range)}
  ) newest join audit_entries e using (id)
) access_changes`

/** Where it is false, all changes of access that name an environment would be looked through in vain. */
export const canBeAccessChange = ({ eventType, resourceType, outcome = 'done' }: EntryFilter): boolean =>
  outcome === 'done' &&
  (resourceType === undefined || resourceType === 'member' || resourceType === 'service_account') &&
  (eventType === undefined || EVENTS.includes(eventType))

/** Deletes up to `limit` of what changes of access before a day (UTC) named; tells how many. Locked rows are passed over. */
export const removeBefore = async (tx: Transaction, day: Date, limit: number): Promise<number> => {
  const { count } = await tx`
    delete from audit_access_changes where ctid = any(array(
      select ctid from audit_access_changes where (timestamp at time zone 'UTC')::date < (${day}::timestamptz at time zone 'UTC')::date
      limit ${limit} for update skip locked))`
  return count
}

/** The environment, or those that the app has now; none where the app has not this one. */
const placesOf = (
  db: Queryable,
  organisationId: string,
  appId: string | undefined,
  environmentId: string | undefined,
): Fragment =>
  appId === undefined
    ? db`select ${environmentId ?? null}::uuid as environment_id`
    : db`
        select e.id as environment_id from environments e where e.organisation_id = ${organisationId} and e.app_id = ${appId}
          ${environmentId === undefined ? db`` : db`and e.id = ${environmentId}`}`
