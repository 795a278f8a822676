import { type Static, Type } from '@sinclair/typebox'
import { RoleReference } from '../contract/references.ts'
import { AccessCount, AccessibleApps } from '../grants/grant.ts'
import type { Limit } from '../limits.ts'
import { hasGlobalAccess } from '../permissions.ts'
import type { RoleRow } from '../roles/role.ts'
import type { Prefixed } from '../rows.ts'
import { Id, Name, Nullable, StrictObject, Timestamp } from '../schema.ts'
import type { Row } from '../tables.ts'
import { IssuedToken, Token, TokenFormat } from '../tokens/token.ts'

/** How many service accounts an organisation can have. */
export const SERVICE_ACCOUNTS: Limit = {
  holder: 'An organisation',
  most: 10_000,
  what: 'service accounts',
  remedy: 'Delete one first.',
}

/** A service account with its role. */
export type ServiceAccountRow = Row<'service_accounts', 'id' | 'name' | 'created_at' | 'updated_at'> &
  Prefixed<'role_', Pick<RoleRow, 'id' | 'kind' | 'name' | 'permissions'>>

/** A service account in a list; what its tokens tell is only there where the caller may read them. */
export type ListedServiceAccountRow = ServiceAccountRow &
  Readonly<{ accessible_environments: number; token_count?: number; last_used_at?: Date | null }>

/** The fields by which service accounts can be sorted. */
export const SERVICE_ACCOUNT_SORTS = ['name', 'role', 'created_at'] as const

/** A service account as it is shown. */
export const ServiceAccount = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: RoleReference,
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})
export type ServiceAccount = Static<typeof ServiceAccount>

const FOR_TOKEN_READERS = 'Absent when the caller may not read service account tokens.'

/** A service account in a list, with how much it can open. */
export const ListedServiceAccount = Type.Composite([
  ServiceAccount,
  Type.Object({
    ...AccessCount(),
    tokenCount: Type.Optional(
      Type.Integer({ description: `How many tokens it has, expired ones among them. ${FOR_TOKEN_READERS}` }),
    ),
    lastUsedAt: Type.Optional(
      Nullable(
        Type.String({
          format: 'date-time',
          description: `When one of its tokens was last used; null for never. ${FOR_TOKEN_READERS}`,
        }),
      ),
    ),
  }),
])
export type ListedServiceAccount = Static<typeof ListedServiceAccount>

/** A single service account, with its tokens where the caller may read them. */
export const ServiceAccountWithTokens = Type.Composite([
  ServiceAccount,
  Type.Object({
    tokens: Type.Optional(Type.Array(Token, { description: FOR_TOKEN_READERS })),
  }),
])
export type ServiceAccountWithTokens = Static<typeof ServiceAccountWithTokens>

/** A service account with the apps and environments that it can access. */
export const ServiceAccountWithAccess = Type.Composite([
  ServiceAccount,
  Type.Object({ apps: AccessibleApps }),
])

/** A new service account with its first token, the only time that the token's text is shown. */
export const CreatedServiceAccount = Type.Composite([
  ServiceAccount,
  Type.Object({ initialToken: IssuedToken }),
])
export type CreatedServiceAccount = Static<typeof CreatedServiceAccount>

const RoleId = () => Id({ description: 'The role to assign: any without global access.' })

/** The body that creates a service account. */
export const CreateServiceAccount = StrictObject({
  name: Name(64),
  role_id: RoleId(),
  token_name: Type.Optional(Name(64, { description: '`Initial token` unless given.' })),
  token_format: TokenFormat(),
})
export type CreateServiceAccount = Static<typeof CreateServiceAccount>

/** The body that changes a service account: at least one field; the other keeps its value. */
export const UpdateServiceAccount = StrictObject(
  { name: Type.Optional(Name(64)), role_id: Type.Optional(RoleId()) },
  { minProperties: 1 },
)
export type UpdateServiceAccount = Static<typeof UpdateServiceAccount>

/** A service account as it is shown. */
export const present = (row: ServiceAccountRow): ServiceAccount => ({
  id: row.id,
  name: row.name,
  role: { id: row.role_id, name: row.role_name },
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})

/** A service account as a list shows it. */
export const presentListed = (row: ListedServiceAccountRow): ListedServiceAccount => ({
  ...present(row),
  accessibleEnvironments: row.accessible_environments,
  globalAccess: hasGlobalAccess(row.role_kind),
  ...(row.token_count !== undefined && {
    tokenCount: row.token_count,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }),
})
