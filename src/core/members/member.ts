import { type Static, Type } from '@sinclair/typebox'
import { RoleReference } from '../contract/references.ts'
import { AccessCount, AccessibleApps } from '../grants/grant.ts'
import { hasGlobalAccess } from '../permissions.ts'
import type { Prefixed } from '../rows.ts'
import { Id, Nullable, StrictObject, Timestamp } from '../schema.ts'
import type { Row } from '../tables.ts'

/** An active membership with its user and role. */
export type MemberRow = Row<'members', 'id' | 'user_id' | 'created_at' | 'updated_at'> &
  Row<'users', 'email' | 'full_name'> &
  Prefixed<'role_', Row<'roles', 'id' | 'kind' | 'name'>>

/** An active membership in a list, with when it was last seen; null for never. */
export type ListedMemberRow = MemberRow &
  Readonly<{ last_seen_at: Date | null; accessible_environments: number }>

/** The fields by which members can be sorted. */
export const MEMBER_SORTS = ['name', 'email', 'role', 'created_at', 'last_seen_at'] as const

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

/**
 * A member in a list, with how much it can open and when it was last seen. A single one shows no use, so that its ETag
 * changes only when somebody changes the member.
 */
export const ListedMember = Type.Composite([
  Member,
  Type.Object({
    lastSeenAt: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'When a session or personal access token of the member was last used, to the minute; null for never.',
      }),
    ),
    ...AccessCount(),
  }),
])
export type ListedMember = Static<typeof ListedMember>

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

/** A member as a list shows it. */
export const presentListed = (row: ListedMemberRow): ListedMember => ({
  ...present(row),
  lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  accessibleEnvironments: row.accessible_environments,
  globalAccess: hasGlobalAccess(row.role_kind),
})
