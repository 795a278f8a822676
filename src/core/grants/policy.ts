import { actorHasGlobalAccess, type RoleHolder } from '../access.ts'
import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import { forbid, type Policy, refuse } from '../policy.ts'

/** Setting the access of a member or service account, whatever to. */
export const setAccess: Policy<{ kind: RoleKind }> = [
  forbid("This member's role has global access: it reaches every app and environment already.", ({ kind }) =>
    hasGlobalAccess(kind),
  ),
]

/** Granting environments; each says whether the actor can access it itself. API.md, Members and access. */
export const grant: Policy<{
  actor: RoleHolder
  environments: readonly Readonly<{ environmentId: string; isOwn: boolean }>[]
}> = [
  refuse(403, ({ actor, environments }) => {
    const foreign = actorHasGlobalAccess(actor) ? undefined : environments.find(({ isOwn }) => !isOwn)
    if (foreign === undefined) return null
    const { environmentId } = foreign
    return {
      sentence: `You can't grant environment "${environmentId}": you have no access to it yourself.`,
      environmentId,
    }
  }),
]
