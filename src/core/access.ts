import type { Actor } from './actor.ts'
import {
  type Action,
  allows,
  firstExcess,
  hasGlobalAccess,
  type Level,
  type Permissions,
} from './permissions.ts'

/** The part of an actor that rules look at: its type, its id and its role. */
export type RoleHolder = Readonly<{
  type: Actor['type']
  id: string
  role: Pick<Actor['role'], 'id' | 'kind' | 'permissions'>
}>

/** Whether an actor's role allows an action on a class of resources. */
export const can = (
  actor: Pick<RoleHolder, 'role'>,
  action: Action,
  resourceClass: string,
  level: Level = 'permissions',
): boolean => allows(actor.role.permissions, level, resourceClass, action)

/** Whether an actor can access every app and environment. */
export const actorHasGlobalAccess = (actor: Pick<RoleHolder, 'role'>): boolean =>
  hasGlobalAccess(actor.role.kind)

/**
 * Why an actor can't give these permissions to others: a sentence that names the first action that its own role lacks;
 * null when it has them all. Global access has every action.
 */
export function beyondOwn(actor: Pick<RoleHolder, 'role'>, wanted: Permissions): string | null {
  if (actorHasGlobalAccess(actor)) return null
  const excess = firstExcess(wanted, actor.role.permissions)
  if (excess === null) return null
  const level = excess.level === 'permissions' ? '' : 'app-level '
  return `Your own role does not allow ${excess.action} on ${level}${excess.resourceClass}, so you can't hand it out.`
}
