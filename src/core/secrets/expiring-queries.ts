import type { Fragment, Queryable } from '../../platform/postgres/database.ts'
import { actorHasGlobalAccess } from '../access.ts'
import type { Actor } from '../actor.ts'
import type { Row } from '../tables.ts'

/** A secret that expires, its place, and the number of all that are looked for. */
export type ExpiringSecretRow = Row<'secrets', 'id' | 'path' | 'type' | 'app_id' | 'environment_id'> &
  Readonly<{ expires_at: Date; app_name: string; environment_name: string; total: number }>

const BEFORE_ALL = new Date('0001-01-01')

/** A time of expiry: after one instant, and up to another. */
type Time = Readonly<{ after: Date; until: Date }>

/** Secrets that the actor can open and that expire by `until`; those that have expired by `now` come last. */
export const expiring = (
  db: Queryable,
  actor: Actor,
  { now, until }: { now: Date; until: Date },
  shown: number,
  most: number,
) => {
  const nextFirst = db`f.expires_at <= ${now}, abs(extract(epoch from f.expires_at - ${now}::timestamptz)), f.id`
  const [first, all] = actorHasGlobalAccess(actor)
    ? [firstOfAll(db, actor, shown), ofAll(db, actor, { after: BEFORE_ALL, until }, db`asc`, most)]
    : [firstOfGranted(db, actor, shown), ofGranted(db, actor, { after: BEFORE_ALL, until }, most)]
  return db<ExpiringSecretRow[]>`
    with shown as materialized (
      select * from (
        (${first({ after: now, until }, db`asc`)}) union all (${first({ after: BEFORE_ALL, until: now }, db`desc`)})
      ) f order by ${nextFirst} limit ${shown}
    )
    select f.id, f.path, f.type, f.app_id, f.environment_id, f.expires_at,
      (select name from apps where id = f.app_id) as app_name,
      (select name from environments where id = f.environment_id) as environment_name,
      (select count(*)::int from (${all}) counted) as total
    from shown f
    order by ${nextFirst}`
}

/** The first in one direction, as a part of a statement. */
type First = (time: Time, direction: Fragment) => Fragment

const firstOfAll =
  (db: Queryable, actor: Actor, shown: number): First =>
  (time, direction) =>
    ofAll(db, actor, time, direction, shown)

/** With global access: all of the organisation. */
const ofAll = (
  db: Queryable,
  { organisation }: Actor,
  { after, until }: Time,
  direction: Fragment,
  most: number,
) => db`
  select ${columns(db)} from secrets s
  -- Those of a deleted environment go in parts.
  cross join lateral (select 1 from environments where id = s.environment_id limit 1) e
  where s.organisation_id = ${organisation.id} and s.expires_at > ${after} and s.expires_at <= ${until}
  order by s.expires_at ${direction} limit ${most}`

/**
 * Of the environments that were granted. Each is asked for its first one alone: what comes first of all is in those that
 * begin first. So it doesn't matter how many secrets expire in each of thousands.
 */
const firstOfGranted =
  (db: Queryable, actor: Actor, shown: number): First =>
  (time, direction) =>
    db`
    select s.* from (
      select g.environment_id from grants g
      cross join lateral (select s.expires_at ${ofEnvironment(db, time, direction)} limit 1) own
      where ${isGranted(db, actor)}
      order by own.expires_at ${direction}, g.environment_id limit ${shown}
    ) g
    cross join lateral (select ${columns(db)} ${ofEnvironment(db, time, direction)} limit ${shown}) s`

/** Up to so many of the environments that were granted: once they are found, no further environment is asked. */
const ofGranted = (db: Queryable, actor: Actor, time: Time, most: number) => db`
  select 1 from grants g
  cross join lateral (select 1 ${ofEnvironment(db, time, db`asc`)} limit ${most}) s
  where ${isGranted(db, actor)} limit ${most}`

const isGranted = (db: Queryable, actor: Actor) =>
  db`g.principal_id = ${actor.id} and g.organisation_id = ${actor.organisation.id}`

/**
 * The secrets of the environment of `g` that expire in a time, in order: also where they are counted, or the planner may
 * read the table for each grant. The pair says nothing new, but one index alone can use it: by that of all that expires,
 * everything would be read.
 */
const ofEnvironment = (db: Queryable, { after, until }: Time, direction: Fragment) => db`
  from secrets s
  where s.environment_id = g.environment_id and s.expires_at > ${after} and s.expires_at <= ${until}
    and (s.environment_id, s.expires_at) > (g.environment_id, ${after})
  order by s.expires_at ${direction}`

const columns = (db: Queryable) => db`s.id, s.path, s.type, s.app_id, s.environment_id, s.expires_at`
