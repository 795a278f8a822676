import type { Queryable } from '../../platform/postgres/database.ts'
import { actorHasGlobalAccess } from '../access.ts'
import type { Actor } from '../actor.ts'

/**
 * A condition on an app `a` of the enclosing query: the actor can access at least one of its environments. Global
 * access sees every app, also one without environments. The actor's grants are read once: with `exists`, the planner
 * compares each app with all of them where its statistics know nothing of the actor.
 */
export const canAccessApp = (db: Queryable, actor: Actor) =>
  actorHasGlobalAccess(actor)
    ? db`true`
    : db`a.id = any(array(select distinct g.app_id from grants g where g.principal_id = ${actor.id}))`

/**
 * A condition on an environment `e` of the enclosing query: the actor can access it. Looks each environment up, so it is for
 * those of one app. With `exists`, each could be compared with all grants of the actor, where the planner expects few.
 */
export const canAccessEnvironment = (db: Queryable, actor: Actor) =>
  actorHasGlobalAccess(actor)
    ? db`true`
    : db`(select true from grants g where g.principal_id = ${actor.id} and g.environment_id = e.id limit 1)`
