import type { Static } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/database.ts'
import { allow } from '../access.ts'
import { type Actor, type Caller, isActor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import * as members from '../members/members.ts'
import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import * as principals from '../principals/principals.ts'
import { Closed, Id } from '../schema.ts'
import { change } from '../transactions.ts'

/** The body that hands the organisation to another member. */
export const TransferOwnership = Closed({
  member_id: Id({ description: 'The membership of the new Owner.' }),
})
export type TransferOwnership = Static<typeof TransferOwnership>

/** How long after a sign-in ownership can be transferred. */
export const RECENT_SIGN_IN_SECONDS = 10 * 60

/** Why this caller may not transfer ownership to anybody; null when it may. A sign-in in the future is none. */
export function refusalToTransfer(
  caller: Readonly<{ kind: RoleKind | null }>,
  signedInSecondsAgo: number,
): string | null {
  if (caller.kind !== 'owner') return 'Only the Owner can transfer ownership.'
  if (signedInSecondsAgo >= 0 && signedInSecondsAgo <= RECENT_SIGN_IN_SECONDS) return null
  return 'Sign in again: ownership can only be transferred within 10 minutes of a sign-in.'
}

/** Why this member may not become the Owner; null when it may. */
export function refusalToBecomeOwner(
  caller: Readonly<{ id: string }>,
  target: Readonly<{ id: string; kind: RoleKind }>,
): string | null {
  if (target.id === caller.id) return 'You are the Owner already.'
  return hasGlobalAccess(target.kind)
    ? null
    : 'The new Owner must hold a role with global access, such as Admin.'
}

/** 403 unless the caller is the Owner and has just signed in. */
export function requireTransferrer(ctx: Context, caller: Caller, signedInAt: Date): void {
  const kind = isActor(caller) ? caller.role.kind : null
  allow(refusalToTransfer({ kind }, (ctx.clock.now().getTime() - signedInAt.getTime()) / 1000))
}

/**
 * Makes another member the Owner, and the caller an Admin. 404 for an unknown member, 403 for one without global
 * access. Both reach everything before and after, so no key is touched.
 */
export const transfer = (ctx: Context, caller: Actor, input: TransferOwnership): Promise<void> =>
  change(ctx, caller, async (tx, actor) => {
    allow(refusalToTransfer({ kind: actor.role.kind }, 0))
    const organisationId = actor.organisation.id
    const target = await members.referredTo(tx, actor, input.member_id)
    allow(refusalToBecomeOwner(actor, { id: target.id, kind: target.role_kind }))
    const now = ctx.clock.now()
    const roles = await topRoles(tx, organisationId)
    await principals.handOver(
      tx,
      { id: actor.id, nextRole: roles.admin },
      { id: target.id, nextRole: roles.owner },
    )
    await members.touch(tx, actor.id, now)
    await members.touch(tx, target.id, now)
    await record(ctx, tx, actor, {
      eventType: 'organisation.ownership_transferred',
      resourceType: 'organisation',
      resourceId: organisationId,
      oldValues: { ownerId: actor.id },
      newValues: { ownerId: target.id },
      description: 'Ownership transferred; the former Owner is now an Admin.',
    })
  })

async function topRoles(tx: Transaction, organisationId: string) {
  const rows = await tx<{ id: string; kind: RoleKind }[]>`
    select id, kind from roles where organisation_id = ${organisationId} and kind in ('owner', 'admin')`
  const owner = rows.find(({ kind }) => kind === 'owner')
  const admin = rows.find(({ kind }) => kind === 'admin')
  if (owner === undefined || admin === undefined) throw new Error('the organisation lacks its default roles')
  return { owner, admin }
}
