import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import { forbid, type Policy, refuse } from '../policy.ts'

/** Inviting somebody to a role of this kind. API.md, Around it. */
export const create: Policy<{ kind: RoleKind }> = [
  refuse(400, ({ kind }) =>
    hasGlobalAccess(kind) ? 'role_id must not name a role with global access; assign it to a member.' : null,
  ),
]

/** Accepting an invite to one address with an account of another. API.md, Around it. */
export const accept: Policy<{ invitedKey: string; accountKey: string }> = [
  forbid(
    'This invite is for another e-mail address than that of your account.',
    ({ invitedKey, accountKey }) => invitedKey !== accountKey,
  ),
]
