import { actorHasGlobalAccess, beyondOwn, type RoleHolder } from '../access.ts'
import { hasGlobalAccess, type Permissions, permissionsOf, type RoleKind } from '../permissions.ts'
import { forbid, type Policy, refuse } from '../policy.ts'

type HeldRole = Readonly<{ kind: RoleKind; permissions: Permissions | null }>

/** Letting a service account hold a role, at its creation or later. API.md, Callers. */
export const assignRole: Policy<{ actor: RoleHolder; role: HeldRole }> = [
  refuse(400, ({ role }) =>
    hasGlobalAccess(role.kind) ? 'A service account cannot hold a role with global access.' : null,
  ),
  refuse(403, beyondOwnRole),
]

/**
 * Creating a token of a service account: it must give its creator nothing new, neither actions nor environments.
 * `reachesMore` says whether the account is granted an environment that the actor is not. API.md, Callers.
 */
export const createToken: Policy<{ actor: RoleHolder; role: HeldRole; reachesMore: boolean }> = [
  refuse(403, beyondOwnRole),
  forbid(
    "This service account can access environments that you can't, so you can't create a token for it.",
    ({ actor, reachesMore }) => reachesMore && !actorHasGlobalAccess(actor),
  ),
]

function beyondOwnRole({ actor, role }: { actor: RoleHolder; role: HeldRole }): string | null {
  return beyondOwn(actor, permissionsOf(role.kind, role.permissions))
}
