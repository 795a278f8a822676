import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import { forbid, type Policy } from '../policy.ts'

/** How long after a sign-in ownership can be transferred. */
export const RECENT_SIGN_IN_SECONDS = 10 * 60

/** Transferring ownership, to any member; `kind` is null for a caller without a membership. */
export const transferOwnership: Policy<{ kind: RoleKind | null; signedInSecondsAgo: number }> = [
  forbid('Only the Owner can transfer ownership.', ({ kind }) => kind !== 'owner'),
  forbid(
    'Sign in again: ownership can only be transferred within 10 minutes of a sign-in.',
    // A negative time means that a clock was set back: such a sign-in does not count as recent.
    ({ signedInSecondsAgo }) => signedInSecondsAgo < 0 || signedInSecondsAgo > RECENT_SIGN_IN_SECONDS,
  ),
]

/** Making this member the Owner. */
export const becomeOwner: Policy<{
  actor: Readonly<{ id: string }>
  member: Readonly<{ id: string; kind: RoleKind }>
}> = [
  forbid('You are the Owner already.', ({ actor, member }) => member.id === actor.id),
  forbid(
    'The new Owner must hold a role with global access, such as Admin.',
    ({ member }) => !hasGlobalAccess(member.kind),
  ),
]
