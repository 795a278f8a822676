import { type Static, Type } from '@sinclair/typebox'
import type { Actor } from '../actor.ts'
import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import { Closed, Id, Timestamp } from '../schema.ts'

/** A live membership with its person and role, as it is read. */
export type MemberRow = Readonly<{
  id: string
  user_id: string
  email: string
  full_name: string
  role_id: string
  role_kind: RoleKind
  role_name: string
  created_at: Date
  updated_at: Date
}>

/** A member as it is shown. */
export const Member = Type.Object({
  id: Type.String({ description: 'Identifier of the membership, not of the user.' }),
  username: Type.String(),
  fullName: Type.String(),
  email: Type.String(),
  role: Type.Object({ id: Type.String(), name: Type.String() }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})
export type Member = Static<typeof Member>

/** The body that gives a member another role. */
export const ChangeRole = Closed({ role_id: Id({ description: 'The role to assign.' }) })
export type ChangeRole = Static<typeof ChangeRole>

/** A member as it is shown; the username is the e-mail address. */
export const present = (row: MemberRow): Member => ({
  id: row.id,
  username: row.email,
  fullName: row.full_name,
  email: row.email,
  role: { id: row.role_id, name: row.role_name },
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})

/** What the rules look at in a caller: what it is, who it is, which kind of role it holds. */
export type Standing = Readonly<{ type: 'user' | 'service_account'; id: string; kind: RoleKind }>

/** An actor as the rules look at it. */
export const standingOf = (actor: Actor): Standing => ({
  type: actor.type,
  id: actor.id,
  kind: actor.role.kind,
})

type Target = Readonly<{ id: string; kind: RoleKind }>

/** Why a caller may not change this member's role, whatever the new one; null when it may. SPEC.md, Errors. */
export function refusalToChangeRole(caller: Standing, target: Target): string | null {
  if (target.kind === 'owner') {
    return "The Owner's role cannot be changed via the API. Use the ownership transfer flow."
  }
  if (isSelf(caller, target)) return 'You cannot change your own role.'
  return beyond(caller, target.kind) ? 'You cannot change the role of a member with global access.' : null
}

/** Why a caller may not assign a role of this kind to anybody; null when it may. SPEC.md, Errors; API.md, Members. */
export function refusalToAssign(caller: Standing, kind: RoleKind): string | null {
  if (kind === 'owner')
    return 'The Owner role cannot be assigned via the API. Use the ownership transfer flow.'
  return beyond(caller, kind) ? 'You cannot assign a role with global access.' : null
}

/** Why a caller may not remove this member; null when it may. SPEC.md, Errors; API.md, Members. */
export function refusalToRemove(caller: Standing, target: Target): string | null {
  if (target.kind === 'owner') return 'The Owner cannot be removed from the organisation.'
  if (isSelf(caller, target)) return 'You cannot remove yourself from the organisation.'
  return beyond(caller, target.kind) ? 'You cannot remove a member with global access.' : null
}

const isSelf = (caller: Standing, target: Target): boolean =>
  caller.type === 'user' && caller.id === target.id

/** A service account, and a user without global access, keep their hands off roles with global access. */
const beyond = (caller: Standing, kind: RoleKind): boolean =>
  hasGlobalAccess(kind) && (caller.type === 'service_account' || !hasGlobalAccess(caller.kind))
