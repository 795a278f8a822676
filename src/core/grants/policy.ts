import { actorHasGlobalAccess, type RoleHolder } from '../access.ts'
import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import { forbid, type Policy, refuse } from '../policy.ts'

/** Setting the access of a member or service account, whatever the new one is. */
export const setAccess: Policy<{ kind: RoleKind }> = [
  forbid('This member has global access: every app and environment is accessible already.', ({ kind }) =>
    hasGlobalAccess(kind),
  ),
]

/** Granting environments; `isOwn` says whether the actor can access one itself. */
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
