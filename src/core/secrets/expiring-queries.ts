import type { Queryable } from '../../platform/postgres/database.ts'
import { actorHasGlobalAccess } from '../access.ts'
import type { Actor } from '../actor.ts'
import type { Row } from '../tables.ts'

/** A secret that expires, its place, and the number of all that are looked for. */
export type ExpiringSecretRow = Row<'secrets', 'id' | 'path' | 'type' | 'app_id' | 'environment_id'> &
  Readonly<{ expires_at: Date; app_name: string; environment_name: string; total: number }>

const BEFORE_ALL = new Date('0001-01-01')

type Fragment = ReturnType<Queryable>

/** Secrets that the actor can open and that expire by `until`; those that have expired by `now` come last. */
export const expiring = (
  db: Queryable,
  actor: Actor,
  { now, until }: { now: Date; until: Date },
  shown: number,
  most: number,
) => {
  const nextFirst = db`f.expires_at <= ${now}, abs(extract(epoch from f.expires_at - ${now}::timestamptz)), f.id`
  return db<ExpiringSecretRow[]>`
    with found as materialized (
      (${openable(db, actor, { after: now, until }, db`asc`, most)})
      union all
      (${openable(db, actor, { after: BEFORE_ALL, until: now }, db`desc`, most)})
    ), shown as (select * from found f order by ${nextFirst} limit ${shown})
    select f.id, f.path, f.type, f.app_id, f.environment_id, f.expires_at,
      (select name from apps where id = f.app_id) as app_name,
      (select name from environments where id = f.environment_id) as environment_name,
      (select least(count(*), ${most})::int from found) as total
    from shown f
    order by ${nextFirst}`
}

/** With global access all of the organisation; otherwise those of each environment that was granted. */
const openable = (
  db: Queryable,
  actor: Actor,
  { after, until }: Readonly<{ after: Date; until: Date }>,
  direction: Fragment,
  most: number,
) => {
  const columns = db`s.id, s.path, s.type, s.app_id, s.environment_id, s.expires_at`
  if (actorHasGlobalAccess(actor)) {
    return db`
      select ${columns} from secrets s
      -- Those of a deleted environment go in parts.
      cross join lateral (select 1 from environments where id = s.environment_id limit 1) e
      where s.organisation_id = ${actor.organisation.id} and s.expires_at > ${after} and s.expires_at <= ${until}
      order by s.expires_at ${direction} limit ${most}`
  }
  return db`
    select s.* from grants g cross join lateral (
      -- As pairs, for the index of both: by that of all that expires, everything would be read for each grant.
      select ${columns} from secrets s
      where s.environment_id = g.environment_id and s.expires_at is not null
        and (s.environment_id, s.expires_at) > (g.environment_id, ${after})
        and (s.environment_id, s.expires_at) <= (g.environment_id, ${until})
      order by s.expires_at ${direction} limit ${most}
    ) s
    where g.principal_id = ${actor.id} and g.organisation_id = ${actor.organisation.id}
    order by s.expires_at ${direction} limit ${most}`
}
