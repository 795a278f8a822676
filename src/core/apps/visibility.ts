import type { Queryable } from '../../platform/postgres/database.ts'
import { reachesEverything } from '../access.ts'
import type { Actor } from '../actor.ts'

/**
 * A condition on an app `a` of the enclosing query: the actor can access at least one of its environments. Global
 * access sees every app, also one without environments.
 */
export const appIsVisible = (db: Queryable, actor: Actor) =>
  reachesEverything(actor)
    ? db`true`
    : db`exists (
        select 1 from grants g
        where g.principal_id = ${actor.id} and g.organisation_id = a.organisation_id and g.app_id = a.id)`

/** A condition on an environment `e` of the enclosing query: the actor can access it. */
export const environmentIsVisible = (db: Queryable, actor: Actor) =>
  reachesEverything(actor)
    ? db`true`
    : db`exists (select 1 from grants g where g.principal_id = ${actor.id} and g.environment_id = e.id)`
