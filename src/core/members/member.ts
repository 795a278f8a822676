import { type Static, Type } from '@sinclair/typebox'
import { RoleReference } from '../contract/references.ts'
import { AccessibleApps } from '../grants/grant.ts'
import type { Prefixed } from '../rows.ts'
import { Id, StrictObject, Timestamp } from '../schema.ts'
import type { Row } from '../tables.ts'

/** An active membership with its user and role. */
export type MemberRow = Row<'members', 'id' | 'user_id' | 'created_at' | 'updated_at'> &
  Row<'users', 'email' | 'full_name'> &
  Prefixed<'role_', Row<'roles', 'id' | 'kind' | 'name'>>

/** A member as it is shown. */
export const Member = Type.Object({
  id: Type.String({ description: 'Identifier of the membership, not of the user.' }),
  username: Type.String(),
  fullName: Type.String(),
  email: Type.String(),
  role: RoleReference,
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})
export type Member = Static<typeof Member>

/** A member with the apps and environments that it can access. */
export const MemberWithAccess = Type.Composite([Member, Type.Object({ apps: AccessibleApps })])

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
