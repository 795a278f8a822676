import type { Queryable } from '../../platform/postgres/database.ts'
import type { AccessibleApps } from './grant.ts'

/** The apps that a principal `p` of the enclosing query can open, as JSON. */
export const accessibleApps = (db: Queryable) => db<{ apps: AccessibleApps }[]>`
  (select coalesce(json_agg(json_build_object('id', app.id, 'name', app.name, 'environments', app.environments)
      order by app.name_key, app.id), '[]')
    from (
      select a.id, a.name, a.name_key,
        coalesce(json_agg(json_build_object('id', e.id, 'name', e.name, 'envType', e.env_type) order by e.index)
          filter (where e.id is not null), '[]') as environments
      from apps a left join environments e on e.organisation_id = a.organisation_id and e.app_id = a.id
      where a.organisation_id = p.organisation_id and (
        p.role_kind in ('owner', 'admin')
        or exists (select 1 from grants g where g.principal_id = p.id and g.environment_id = e.id))
      group by a.id
    ) app)`
