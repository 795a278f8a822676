import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import { forbid, type Policy, refuse } from '../policy.ts'

/** Inviting an e-mail address to a role of this kind. */
export const create: Policy<{ kind: RoleKind }> = [
  refuse(400, ({ kind }) =>
    hasGlobalAccess(kind)
      ? 'Nobody can be invited to a role with global access. Invite to another role, and change it afterwards.'
      : null,
  ),
]

/** Accepting an invite to one address with an account of another. */
export const accept: Policy<{ invitedKey: string; accountKey: string }> = [
  forbid(
    'This invite is for another e-mail address.',
    ({ invitedKey, accountKey }) => invitedKey !== accountKey,
  ),
]
