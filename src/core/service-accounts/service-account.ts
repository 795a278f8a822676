import { type Static, Type } from '@sinclair/typebox'
import { RoleReference } from '../contract/references.ts'
import { AccessibleApps } from '../grants/grant.ts'
import type { Limit } from '../limits.ts'
import type { RoleRow } from '../roles/role.ts'
import type { Prefixed } from '../rows.ts'
import { Id, Name, StrictObject, Timestamp } from '../schema.ts'
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

/** A service account as it is shown. */
export const ServiceAccount = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: RoleReference,
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})
export type ServiceAccount = Static<typeof ServiceAccount>

/** A single service account, with its tokens where the caller may read them. */
export const ServiceAccountWithTokens = Type.Composite([
  ServiceAccount,
  Type.Object({
    tokens: Type.Optional(
      Type.Array(Token, { description: 'Absent when the caller may not read service account tokens.' }),
    ),
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
