import { type Static, Type } from '@sinclair/typebox'
import { reachesEverything, requireWithinOwn } from '../access.ts'
import type { Actor } from '../actor.ts'
import { badRequest, forbidden } from '../errors.ts'
import { hasGlobalAccess, type Permissions, permissionsOf, type RoleKind } from '../permissions.ts'
import { Closed, Id, Name, Timestamp } from '../schema.ts'
import { IssuedToken, Token } from '../tokens/token.ts'

/** How many service accounts an organisation can have. */
export const MOST_SERVICE_ACCOUNTS = 10_000

/** A service account with its role, as it is read. */
export type ServiceAccountRow = Readonly<{
  id: string
  name: string
  role_id: string
  role_kind: RoleKind
  role_name: string
  role_permissions: Permissions | null
  created_at: Date
  updated_at: Date
}>

/** A service account as it is shown. */
export const ServiceAccount = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Type.Object({ id: Type.String(), name: Type.String() }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})
export type ServiceAccount = Static<typeof ServiceAccount>

/** A single service account: with its tokens, for whoever may read them. */
export const ServiceAccountWithTokens = Type.Composite([
  ServiceAccount,
  Type.Object({
    tokens: Type.Optional(
      Type.Array(Token, { description: 'Absent when the caller may not read service account tokens.' }),
    ),
  }),
])
export type ServiceAccountWithTokens = Static<typeof ServiceAccountWithTokens>

/** A service account at its creation, with the first token, which is shown this once. */
export const CreatedServiceAccount = Type.Composite([
  ServiceAccount,
  Type.Object({ initialToken: IssuedToken }),
])
export type CreatedServiceAccount = Static<typeof CreatedServiceAccount>

const RoleId = () => Id({ description: 'The role to hold: any without global access.' })

/** The body that creates a service account. */
export const CreateServiceAccount = Closed({
  name: Name(64),
  role_id: RoleId(),
  token_name: Type.Optional(Name(64, { description: '`Initial token` unless given.' })),
})
export type CreateServiceAccount = Static<typeof CreateServiceAccount>

/** The body that changes a service account: at least one field; the other keeps its value. */
export const UpdateServiceAccount = Closed(
  { name: Type.Optional(Name(64)), role_id: Type.Optional(RoleId()) },
  { minProperties: 1 },
)
export type UpdateServiceAccount = Static<typeof UpdateServiceAccount>

type HeldRole = Readonly<{ kind: RoleKind; permissions: Permissions | null }>

/**
 * What a role must be for a caller to let a service account hold it: without global access (400), and within the
 * caller's own actions (403).
 */
export function requireAssignable(actor: Actor, role: HeldRole): void {
  if (hasGlobalAccess(role.kind)) throw badRequest('A service account cannot hold a role with global access.')
  requireWithinOwn(actor, permissionsOf(role.kind, role.permissions))
}

/**
 * 403 unless a token of the service account gives its creator nothing new: neither actions nor environments.
 * `beyond` says whether the account is granted an environment that the caller is not.
 */
export function requireTokenWithinOwn(actor: Actor, role: HeldRole, beyond: boolean): void {
  requireWithinOwn(actor, permissionsOf(role.kind, role.permissions))
  if (beyond && !reachesEverything(actor)) {
    throw forbidden(
      "This service account can access environments that you can't, so you can't create a token for it.",
    )
  }
}

/** A service account as it is shown. */
export const present = (row: ServiceAccountRow): ServiceAccount => ({
  id: row.id,
  name: row.name,
  role: { id: row.role_id, name: row.role_name },
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
