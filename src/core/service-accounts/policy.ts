import { actorHasGlobalAccess, beyondOwn, type RoleHolder } from '../access.ts'
import { hasGlobalAccess, type Permissions, permissionsOf, type RoleKind } from '../permissions.ts'
import { forbid, type Policy, refuse } from '../policy.ts'

type AssignedRole = Readonly<{ kind: RoleKind; permissions: Permissions | null }>

/** Giving a service account a role, at its creation or later. */
export const assignRole: Policy<{ actor: RoleHolder; role: AssignedRole }> = [
  refuse(400, ({ role }) =>
    hasGlobalAccess(role.kind) ? 'A service account cannot hold a role with global access.' : null,
  ),
  refuse(403, beyondOwnRole),
]

/**
 * Creating a token of a service account: it must give its creator no further permissions or environments.
 * `canAccessMore` says whether the service account is granted an environment that the actor is not.
 */
export const createToken: Policy<{ actor: RoleHolder; role: AssignedRole; canAccessMore: boolean }> = [
  refuse(403, beyondOwnRole),
  forbid(
    "This service account can access environments that you can't, so you can't create a token for it.",
    ({ actor, canAccessMore }) => canAccessMore && !actorHasGlobalAccess(actor),
  ),
]

function beyondOwnRole({ actor, role }: { actor: RoleHolder; role: AssignedRole }): string | null {
  return beyondOwn(actor, permissionsOf(role.kind, role.permissions))
}
