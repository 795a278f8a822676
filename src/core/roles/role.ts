import { type Static, Type } from '@sinclair/typebox'
import type { Limit } from '../limits.ts'
import { hasGlobalAccess, type Permissions, permissionsOf, type RoleKind } from '../permissions.ts'
import { Name, Nullable, StrictObject, Text, Timestamp } from '../schema.ts'
import type { Row } from '../tables.ts'
import { normalise, normaliseName } from '../text.ts'
import { PermissionsInput, permissionsFrom } from './permissions-input.ts'

/** How many custom roles an organisation can have. */
export const CUSTOM_ROLES: Limit = {
  holder: 'An organisation',
  most: 1000,
  what: 'custom roles',
  remedy: 'Delete one first.',
}

/** A role without its permissions. */
export type RoleSummaryRow = Row<
  'roles',
  'id' | 'kind' | 'position' | 'name' | 'description' | 'color' | 'created_at'
>

/** A role in a list, with how many hold it where the caller may read them. */
export type ListedRoleRow = RoleSummaryRow &
  Readonly<{ member_count?: number; service_account_count?: number }>

/** The fields by which roles can be sorted. */
export const ROLE_SORTS = ['name', 'created_at'] as const

/** A role as it is stored; a default role's permissions are null. */
export type RoleRow = RoleSummaryRow &
  Row<'roles', 'name_key'> &
  Readonly<{ permissions: Permissions | null }>

/** A role as it is given to a principal: its kind decides about global access. */
export type RoleRef = Pick<RoleRow, 'id' | 'kind'>

/** A role without its permissions. */
export const RoleSummary = Type.Object({
  id: Type.String({ description: 'Unique identifier of the role.' }),
  name: Type.String(),
  description: Nullable(Type.String()),
  color: Type.String({ description: 'Hex colour such as `#1F6FEB`; empty on default roles.' }),
  isDefault: Type.Boolean({ description: 'True for the five built-in roles.' }),
  createdAt: Timestamp(),
})

/** A role in a list: without its permissions, and with how many hold it. */
export const ListedRole = Type.Composite([
  RoleSummary,
  Type.Object({
    memberCount: Type.Optional(
      Type.Integer({
        description: 'How many members hold it. Absent when the caller may not read members.',
      }),
    ),
    serviceAccountCount: Type.Optional(
      Type.Integer({
        description: 'How many service accounts hold it. Absent when the caller may not read those.',
      }),
    ),
  }),
])
export type ListedRole = Static<typeof ListedRole>

const Actions = Type.Record(Type.String(), Type.Array(Type.String()))

/** What a role allows, as it is shown. */
export const RolePermissions = Type.Object({
  permissions: Actions,
  appPermissions: Actions,
  globalAccess: Type.Boolean({ description: 'Read-only: true for Owner and Admin alone.' }),
})

/** A single role. */
export const Role = Type.Composite([RoleSummary, Type.Object({ permissions: RolePermissions })])
export type Role = Static<typeof Role>

const Color = Type.String({
  pattern: '^(#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}))?$',
  maxLength: 7,
  description: 'Empty, `#RGB` or `#RRGGBB`.',
})
const Description = Nullable(Text(500))

/** The body that creates a role. */
export const CreateRole = StrictObject({
  name: Name(64),
  permissions: PermissionsInput(),
  description: Type.Optional(Description),
  color: Type.Optional(Color),
})
export type CreateRole = Static<typeof CreateRole>

/** The body that changes a role: at least one field; the others keep their values. */
export const UpdateRole = StrictObject(
  {
    name: Type.Optional(Name(64)),
    permissions: Type.Optional(PermissionsInput()),
    description: Type.Optional(Description),
    color: Type.Optional(Color),
  },
  { minProperties: 1 },
)
export type UpdateRole = Static<typeof UpdateRole>

/** The values of a role that a body can set, as they are stored. */
export type RoleValues = Row<'roles', 'name' | 'description' | 'color'> &
  Readonly<{ permissions: Permissions }>

/** The values that a body has, as they are stored. */
export function inputValues(input: UpdateRole): Partial<RoleValues> {
  return {
    ...(input.name !== undefined && { name: normaliseName(input.name) }),
    ...(input.description !== undefined && {
      description: input.description === null ? null : normalise(input.description),
    }),
    ...(input.color !== undefined && { color: input.color }),
    ...(input.permissions !== undefined && { permissions: permissionsFrom(input.permissions) }),
  }
}

/** A role as it is shown without its permissions. */
export const presentSummary = (row: RoleSummaryRow): Static<typeof RoleSummary> => ({
  id: row.id,
  name: row.name,
  description: row.description,
  color: row.color,
  isDefault: row.kind !== 'custom',
  createdAt: row.created_at.toISOString(),
})

/** A role as a list shows it. */
export const presentListed = (row: ListedRoleRow): ListedRole => ({
  ...presentSummary(row),
  ...(row.member_count !== undefined && { memberCount: row.member_count }),
  ...(row.service_account_count !== undefined && { serviceAccountCount: row.service_account_count }),
})

/** What a role allows, as it is shown: a default role's are built in, a custom role's are stored. */
export function presentPermissions(
  kind: RoleKind,
  stored: Permissions | null,
): Static<typeof RolePermissions> {
  const { permissions, appPermissions } = permissionsOf(kind, stored)
  return { permissions, appPermissions, globalAccess: hasGlobalAccess(kind) } as Static<
    typeof RolePermissions
  >
}

/** A single role as it is shown. */
export const present = (row: RoleRow): Role => ({
  ...presentSummary(row),
  permissions: presentPermissions(row.kind, row.permissions),
})
