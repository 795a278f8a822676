import type { Static } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { type Actor, type Caller, isActor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import * as members from '../members/members.ts'
import type { RoleKind } from '../permissions.ts'
import { enforce } from '../policy.ts'
import * as principals from '../principals/principals.ts'
import { Id, StrictObject } from '../schema.ts'
import { changeOrganisation } from '../transactions.ts'
import * as policy from './policy.ts'

/** The body that hands the organisation to another member. */
export const TransferOwnership = StrictObject({
  member_id: Id({ description: 'The membership of the new Owner.' }),
})
export type TransferOwnership = Static<typeof TransferOwnership>

/** 403 unless the caller is the Owner and has just signed in. */
export function requireRecentlySignedInOwner(ctx: Context, caller: Caller, signedInAt: Date): void {
  const kind = isActor(caller) ? caller.role.kind : null
  const signedInSecondsAgo = (ctx.clock.now().getTime() - signedInAt.getTime()) / 1000
  enforce(policy.transferOwnership, { kind, signedInSecondsAgo })
}

/**
 * Makes another member the Owner, and the caller an Admin. 404 for an unknown member, 403 for one without global
 * access. Both reach everything before and after, so no key is touched.
 */
export const transfer = (ctx: Context, caller: Actor, input: TransferOwnership): Promise<void> =>
  changeOrganisation(ctx, caller, async (tx, actor) => {
    // Read again under the lock; that the sign-in is recent was checked at the door.
    enforce(policy.transferOwnership, { kind: actor.role.kind, signedInSecondsAgo: 0 })
    const organisationId = actor.organisation.id
    const target = await members.referredTo(tx, actor, input.member_id)
    enforce(policy.becomeOwner, { actor, member: { id: target.id, kind: target.role_kind } })
    const now = ctx.clock.now()
    const roles = await ownerAndAdminRoles(tx, organisationId)
    await principals.handOver(
      tx,
      { id: actor.id, nextRole: roles.admin },
      { id: target.id, nextRole: roles.owner },
    )
    await members.markUpdated(tx, actor.id, now)
    await members.markUpdated(tx, target.id, now)
    await record(ctx, tx, actor, {
      eventType: 'organisation.ownership_transferred',
      resourceId: organisationId,
      oldValues: { ownerId: actor.id },
      newValues: { ownerId: target.id },
      description: 'Ownership transferred; the former Owner is now an Admin.',
    })
  })

async function ownerAndAdminRoles(tx: Transaction, organisationId: string) {
  const rows = await tx<{ id: string; kind: RoleKind }[]>`
    select id, kind from roles where organisation_id = ${organisationId} and kind in ('owner', 'admin')`
  const owner = rows.find(({ kind }) => kind === 'owner')
  const admin = rows.find(({ kind }) => kind === 'admin')
  if (owner === undefined || admin === undefined) throw new Error('the organisation lacks its default roles')
  return { owner, admin }
}
