import { type Static, Type } from '@sinclair/typebox'
import type { RoleKind } from '../permissions.ts'
import { Id, StrictObject, Timestamp } from '../schema.ts'

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
export const ChangeRole = StrictObject({ role_id: Id({ description: 'The role to assign.' }) })
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
