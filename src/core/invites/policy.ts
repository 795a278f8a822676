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

/** Mailing an invite again. */
export const resend: Policy<{ isMailed: boolean }> = [
  refuse(409, ({ isMailed }) =>
    isMailed ? null : "There is no mail gateway. Hand over the invite's link instead.",
  ),
]

/**
 * Accepting an invite to one address with an account of another. The sentence names no address: the audit log keeps it.
 * Who has the link finds the address by looking up the invite.
 */
export const accept: Policy<{ invitedKey: string; accountKey: string }> = [
  forbid(
    'This invite is for another e-mail address. Use the account of the address that it was sent to.',
    ({ invitedKey, accountKey }) => invitedKey !== accountKey,
  ),
]
