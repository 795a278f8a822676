import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { type Operator, recordByOperator } from '../audit/audit.ts'
import { findOrganisationId, requireServerSecret } from '../deployment.ts'
import { conflict } from '../errors.ts'
import * as members from '../members/members.ts'
import { queueOrganisationNotices, wakeNotices } from '../notices/notices.ts'
import { accountOf } from '../operators/operator.ts'
import type { RoleKind } from '../permissions.ts'
import * as principals from '../principals/principals.ts'
import { written } from '../rows.ts'
import { changeByOperator } from '../transactions.ts'
import * as queries from './queries.ts'

/** A member, as an operator is asked about it. */
export type OwnershipMember = Readonly<{ id: string; email: string; name: string; role: string }>

/** The Owner, and who is to be it; the same where nothing would change. */
export type OwnershipChange = Readonly<{ owner: OwnershipMember; next: OwnershipMember }>

/** What `makeOwner` would do. 404 for an unknown address, 409 for an account without a membership. */
export async function previewOwner(ctx: Context, email: string): Promise<OwnershipChange> {
  const { owner, next } = await participants(ctx.db, email)
  return {
    owner: { id: owner.id, email: owner.email, name: owner.full_name, role: owner.role_name },
    next: { id: next.id, email: next.email, name: next.name, role: next.role.name },
  }
}

/**
 * Makes the member with this address the Owner, with a key copy of every environment, and the Owner an Admin. 409 when
 * the Owner is another one than `expectedOwnerId` by now; the Owner's own address changes nothing.
 */
export async function makeOwner(
  ctx: Context,
  operator: Operator,
  email: string,
  expectedOwnerId: string,
): Promise<void> {
  // Key copies that were wrapped with another secret could never be opened.
  await requireServerSecret(ctx.db, ctx.keys)
  const { organisationId } = await participants(ctx.db, email)
  await changeByOperator(ctx, organisationId, async (tx) => {
    const { owner, next } = await participants(tx, email)
    if (owner.id !== expectedOwnerId) throw conflict(OWNER_CHANGED)
    if (next.id === owner.id) return
    await exchangeRoles(ctx, tx, organisationId, owner, next)
    await recordByOperator(ctx, tx, operator, organisationId, {
      eventType: 'organisation.ownership_transferred',
      resourceId: organisationId,
      oldValues: { ownerId: owner.id },
      newValues: { ownerId: next.id },
      description: 'An operator transferred the ownership; the former Owner is now an Admin.',
    })
    await queueOrganisationNotices(ctx, tx, organisationId, [
      [next.userId, 'ownership-received'],
      [owner.user_id, 'ownership-given'],
    ])
  })
  await wakeNotices(ctx)
}

const OWNER_CHANGED =
  'The Owner has changed meanwhile, and nothing was done. Look again, and repeat the command.'

type NextOwner = Readonly<{
  id: string
  userId: string
  email: string
  name: string
  role: Readonly<{ kind: RoleKind; name: string }>
}>

async function participants(
  db: Queryable,
  email: string,
): Promise<{ organisationId: string; owner: queries.OwnerRow; next: NextOwner }> {
  const account = await accountOf(db, email)
  const organisationId = await findOrganisationId(db)
  if (organisationId === null || account.member_id === null) {
    throw conflict(
      `${account.email} has an account, but is not a member of the organisation: invite the account first. ` +
        'Where nobody is left who can, "keyward users reset" lets you in as a member who can.',
    )
  }
  const owner = written(await queries.findOwner(db, organisationId))
  const next = {
    id: account.member_id,
    userId: account.user_id,
    email: account.email,
    name: account.full_name,
    role: { kind: account.role_kind, name: account.role_name },
  }
  return { organisationId, owner, next }
}

async function exchangeRoles(
  ctx: Context,
  tx: Transaction,
  organisationId: string,
  owner: queries.OwnerRow,
  next: NextOwner,
): Promise<void> {
  const now = ctx.clock.now()
  const roles = await queries.findOwnerAndAdminRoles(tx, organisationId)
  // Demote first: the database allows one Owner, and checks at the commit that there is one.
  await principals.changeRole(ctx, tx, { id: owner.id, organisationId }, 'owner', roles.admin)
  await principals.changeRole(ctx, tx, { id: next.id, organisationId }, next.role.kind, roles.owner)
  await members.markUpdated(tx, owner.id, now)
  await members.markUpdated(tx, next.id, now)
}
