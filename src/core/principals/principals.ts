import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/database.ts'
import { generateIdentityKeys } from '../keys/identity-keys.ts'
import type { RoleKind } from '../permissions.ts'

/** Something that can hold a role, keys, grants and tokens: a member or a service account, under its id. */
export type NewPrincipal = Readonly<{
  id: string
  organisationId: string
  type: 'member' | 'service_account'
  role: Readonly<{ id: string; kind: RoleKind }>
}>

/** Creates a principal with an identity key pair of its own; the private half is stored wrapped for the server. */
export async function createPrincipal(ctx: Context, tx: Transaction, principal: NewPrincipal): Promise<void> {
  const { publicKey, privateKey } = generateIdentityKeys()
  const wrapped = ctx.keys.wrap('identity-key', privateKey, privateKeyPlace(principal.id))
  await tx`
    insert into principals (id, organisation_id, type, role_id, role_kind, identity_key, wrapped_private_key)
    values (${principal.id}, ${principal.organisationId}, ${principal.type}, ${principal.role.id},
      ${principal.role.kind}, ${publicKey}, ${wrapped})`
}

/** Where a principal's private key is stored. */
export const privateKeyPlace = (principalId: string) =>
  ({ table: 'principals', rowId: principalId, field: 'wrapped_private_key' }) as const
