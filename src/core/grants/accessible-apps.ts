import type { Queryable } from '../../platform/postgres/database.ts'
import type { AccessibleApps } from './grant.ts'

/**
 * The apps that a principal `p` of the enclosing query can open, as JSON. Each case has a plan of its own: what was
 * granted is found by the grants, without a look at every environment of the organisation.
 */
export const accessibleApps = (db: Queryable) => db<{ apps: AccessibleApps }[]>`
  case when p.role_kind in ('owner', 'admin') then ${listed(
    db,
    db`apps a left join environments e on e.organisation_id = a.organisation_id and e.app_id = a.id
       where a.organisation_id = p.organisation_id`,
  )}
  else ${listed(
    db,
    // There is one of each. The limits have them looked up by their ids, however few grants the planner expects.
    db`grants g
       cross join lateral (select id, name, env_type, index from environments where id = g.environment_id limit 1) e
       cross join lateral (select id, name, name_key from apps where id = g.app_id limit 1) a
       where g.principal_id = p.id`,
  )} end`

/**
 * How many environments a principal `p` of the enclosing query can open. Those of the organisation are counted once for all
 * with global access.
 */
export const accessibleEnvironments = (db: Queryable, organisationId: string) => db`
  case when p.role_kind in ('owner', 'admin')
    then (select count(*)::int from environments where organisation_id = ${organisationId})
    else (select count(*)::int from grants g where g.principal_id = p.id) end`

/** Apps by name, in each its environments by index, from apps `a` and environments `e`, which an app may lack. */
const listed = (db: Queryable, from: ReturnType<Queryable>) => db`
  (select coalesce(json_agg(json_build_object('id', app.id, 'name', app.name, 'environments', app.environments)
      order by app.name_key, app.id), '[]')
    from (
      select a.id, a.name, a.name_key,
        coalesce(json_agg(json_build_object('id', e.id, 'name', e.name, 'envType', e.env_type) order by e.index)
          filter (where e.id is not null), '[]') as environments
      from ${from}
      group by a.id, a.name, a.name_key
    ) app)`
