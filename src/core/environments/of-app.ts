import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { canAccessEnvironment } from '../apps/access-conditions.ts'

/** The environments of an app `a` of the enclosing query that the actor can access, by index, as JSON. */
export const environmentsOfApp = (db: Queryable, actor: Actor) => db`
  (select coalesce(json_agg(json_build_object('id', e.id, 'name', e.name, 'env_type', e.env_type,
      'index', e.index, 'created_at', e.created_at, 'updated_at', e.updated_at) order by e.index), '[]')
    from environments e
    where e.organisation_id = a.organisation_id and e.app_id = a.id and ${canAccessEnvironment(db, actor)})`
