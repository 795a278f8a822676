import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { addKeyCopies } from '../environments/key-copies.ts'
import { cancelSentBy } from '../invites/closing.ts'
import { generateIdentityKeys } from '../keys/identity-keys.ts'
import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import type { RoleRef } from '../roles/role.ts'
import { written } from '../rows.ts'
import { lockCopies } from '../secrets/override-locks.ts'
import type { Row } from '../tables.ts'
import { lockTokensOf } from '../tokens/revocation.ts'
import * as queries from './queries.ts'

/** A principal, a member or a service account, before it has an id. */
export type NewPrincipal = Row<'principals', 'type'> & Readonly<{ organisationId: string; role: RoleRef }>

/** Creates a principal with an identity key pair, the private key wrapped for the server; gives the principal's id. */
export async function createPrincipal(
  ctx: Context,
  tx: Transaction,
  { organisationId, type, role }: NewPrincipal,
): Promise<string> {
  const id = randomUUID()
  const { publicKey, privateKey } = generateIdentityKeys()
  await queries.insert(tx, {
    id,
    organisation_id: organisationId,
    type,
    role_id: role.id,
    role_kind: role.kind,
    identity_key: publicKey,
    wrapped_private_key: ctx.keys.wrap('identity-key', privateKey, privateKeyField(id)),
  })
  return id
}

/** Where a principal's private key is stored. */
export const privateKeyField = (principalId: string) =>
  ({ table: 'principals', rowId: principalId, field: 'wrapped_private_key' }) as const

/**
 * Gives a principal another role, and the key copies that follow from it: with global access one of every environment,
 * without it only those that were granted. Requires the organisation's lock.
 */
export async function changeRole(
  ctx: Context,
  tx: Transaction,
  { id, organisationId }: { id: string; organisationId: string },
  before: RoleKind,
  role: RoleRef,
): Promise<void> {
  const principal = written(await queries.setRole(tx, id, role))
  if (hasGlobalAccess(role.kind)) {
    const missing = await queries.environmentsWithoutCopy(tx, organisationId, id)
    await addKeyCopies(ctx, tx, organisationId, [principal], missing)
  } else if (hasGlobalAccess(before)) {
    await lockCopies(tx, id)
    await queries.deleteCopiesWithoutGrant(tx, id)
  }
}

/** Makes another principal the Owner, and the Owner an Admin. Both keep global access, so their key copies stay. */
export async function handOver(
  tx: Transaction,
  owner: { id: string; nextRole: RoleRef },
  next: { id: string; nextRole: RoleRef },
): Promise<void> {
  // Demote first: the unique index allows one Owner; the deferred trigger checks that there is one at commit.
  await queries.setRole(tx, owner.id, owner.nextRole)
  await queries.setRole(tx, next.id, next.nextRole)
}

/**
 * Deletes a principal with its keys, grants and tokens, and cancels the pending invites that it sent. Gives how many of
 * the tokens had not expired. Requires that nobody can create a token of it meanwhile.
 */
export async function remove(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  id: string,
): Promise<{ tokens: number }> {
  await cancelSentBy(ctx, tx, actor, id)
  const tokens = await lockTokensOf(ctx, tx, id)
  // Key copies before the principal, the order of a change of secrets: the other one could deadlock.
  await lockCopies(tx, id)
  await queries.remove(tx, id)
  return { tokens }
}
