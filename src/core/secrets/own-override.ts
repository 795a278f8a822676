import type { Fragment, Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'

/**
 * Joins the actor's override `o` to secrets `s` of the enclosing query. There is at most one: the limit has each looked up by
 * itself. An ordinary join may read all overrides of the actor, or of the environment, for each secret, where the planner's
 * statistics know nothing of them.
 */
export const ownOverride = (db: Queryable, { id }: Pick<Actor, 'id'>): Fragment => db`
  left join lateral (
    select * from secret_overrides
    where principal_id = ${id} and environment_id = s.environment_id and secret_id = s.id limit 1
  ) o on true`
