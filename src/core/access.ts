import type { Actor } from './actor.ts'
import { forbidden } from './errors.ts'
import {
  type Action,
  allows,
  firstExcess,
  hasGlobalAccess,
  type Level,
  type Permissions,
} from './permissions.ts'

/** Whether a caller's role allows an action on a class of resources. */
export const can = (
  actor: Actor,
  action: Action,
  resourceClass: string,
  level: Level = 'permissions',
): boolean => allows(actor.role.permissions, level, resourceClass, action)

/** Whether a caller's role reaches every app and environment. */
export const reachesEverything = (actor: Actor): boolean => hasGlobalAccess(actor.role.kind)

/** 403 unless every action of `wanted` is among the caller's own; global access has them all. Nobody climbs by the API. */
export function requireWithinOwn(actor: Actor, wanted: Permissions): void {
  if (reachesEverything(actor)) return
  const excess = firstExcess(wanted, actor.role.permissions)
  if (excess === null) return
  const level = excess.level === 'permissions' ? '' : 'app-level '
  throw forbidden(
    `Your own role does not allow ${excess.action} on ${level}${excess.resourceClass}, so you can't hand it out.`,
  )
}

/** 403 with the reason that a rule gives for refusing; nothing when it gives none. */
export function allow(refusal: string | null): void {
  if (refusal !== null) throw forbidden(refusal)
}
