import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { addKeyCopies } from '../environments/key-copies.ts'
import { generateIdentityKeys } from '../keys/identity-keys.ts'
import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import * as queries from './queries.ts'

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
  const wrapped = ctx.keys.wrap('identity-key', privateKey, privateKeyField(principal.id))
  await tx`
    insert into principals (id, organisation_id, type, role_id, role_kind, identity_key, wrapped_private_key)
    values (${principal.id}, ${principal.organisationId}, ${principal.type}, ${principal.role.id},
      ${principal.role.kind}, ${publicKey}, ${wrapped})`
}

/** Where a principal's private key is stored. */
export const privateKeyField = (principalId: string) =>
  ({ table: 'principals', rowId: principalId, field: 'wrapped_private_key' }) as const

/**
 * Gives a principal another role, and the copies of environment keys that follow from it: global access brings one of
 * every environment, its loss leaves those that were granted explicitly. The caller holds the organisation's lock.
 */
export async function changeRole(
  ctx: Context,
  tx: Transaction,
  principal: { id: string; organisationId: string },
  before: RoleKind,
  role: { id: string; kind: RoleKind },
): Promise<void> {
  const [holder] = await queries.setRole(tx, principal.id, role)
  if (holder === undefined) throw new Error('the principal is gone although its organisation is locked')
  if (hasGlobalAccess(role.kind)) {
    const missing = await queries.environmentsWithoutCopy(tx, principal.organisationId, principal.id)
    await addKeyCopies(ctx, tx, principal.organisationId, [holder], missing)
  } else if (hasGlobalAccess(before)) {
    await queries.deleteCopiesWithoutGrant(tx, principal.id)
  }
}

/**
 * Makes another principal the Owner, and the Owner an Admin. Both reach everything before and after, so no key is
 * touched.
 */
export async function handOver(
  tx: Transaction,
  owner: { id: string; nextRole: { id: string; kind: RoleKind } },
  next: { id: string; nextRole: { id: string; kind: RoleKind } },
): Promise<void> {
  // In this order: there is never a second Owner, and at the end of the transaction there is one.
  await queries.setRole(tx, owner.id, owner.nextRole)
  await queries.setRole(tx, next.id, next.nextRole)
}

/** Deletes a principal and everything that it held: keys, grants, tokens. */
export async function remove(tx: Transaction, id: string): Promise<void> {
  await queries.remove(tx, id)
}
