import type { RoleHolder } from '../access.ts'
import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import { forbid, type Policy } from '../policy.ts'

type Target = Readonly<{ id: string; kind: RoleKind }>

/** Changing a member's role, whatever the new one is. */
export const changeRole: Policy<{ actor: RoleHolder; member: Target }> = [
  forbid(
    "The Owner's role cannot be changed via the API. Use the ownership transfer flow.",
    ({ member }) => member.kind === 'owner',
  ),
  forbid('You cannot change your own role.', isSelf),
  forbid('You cannot change the role of a member with global access.', ({ actor, member }) =>
    isGlobalAccessOffLimits(actor, member.kind),
  ),
]

/** Giving a member a role of this kind. */
export const assignRole: Policy<{ actor: RoleHolder; kind: RoleKind }> = [
  forbid(
    'The Owner role cannot be assigned via the API. Use the ownership transfer flow.',
    ({ kind }) => kind === 'owner',
  ),
  forbid('You cannot assign a role with global access.', ({ actor, kind }) =>
    isGlobalAccessOffLimits(actor, kind),
  ),
]

/** Removing a member. */
export const remove: Policy<{ actor: RoleHolder; member: Target }> = [
  forbid('The Owner cannot be removed from the organisation.', ({ member }) => member.kind === 'owner'),
  forbid('You cannot remove yourself from the organisation.', isSelf),
  forbid('You cannot remove a member with global access.', ({ actor, member }) =>
    isGlobalAccessOffLimits(actor, member.kind),
  ),
]

function isSelf({ actor, member }: { actor: RoleHolder; member: Target }): boolean {
  return actor.type === 'user' && actor.id === member.id
}

/** Service accounts, and users without global access, must not touch roles with global access. */
function isGlobalAccessOffLimits(actor: RoleHolder, kind: RoleKind): boolean {
  return hasGlobalAccess(kind) && (actor.type === 'service_account' || !hasGlobalAccess(actor.role.kind))
}
