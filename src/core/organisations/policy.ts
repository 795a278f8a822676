import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import { forbid, type Policy } from '../policy.ts'
import { isNotRecent, SIGN_IN_AGAIN, type SignInAge } from '../sessions/policy.ts'

/** Transferring ownership, to any member; `kind` is null for a caller without a membership. */
export const transferOwnership: Policy<SignInAge & { kind: RoleKind | null }> = [
  forbid('Only the Owner can transfer ownership.', ({ kind }) => kind !== 'owner'),
  forbid(`${SIGN_IN_AGAIN}ownership can only be transferred within 10 minutes of a sign-in.`, isNotRecent),
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
