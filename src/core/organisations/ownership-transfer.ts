import type { Static } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { type Actor, type Caller, isActor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import * as members from '../members/members.ts'
import { queueOrganisationNotices, wakeNotices } from '../notices/notices.ts'
import { enforce } from '../policy.ts'
import * as principals from '../principals/principals.ts'
import { Id, StrictObject } from '../schema.ts'
import { confirmation } from '../second-factor/confirmation.ts'
import { FACTOR_FIELDS } from '../second-factor/factor.ts'
import { ageOf } from '../sessions/recent-sign-in.ts'
import { changeOrganisation } from '../transactions.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** The body that makes another member the Owner. */
export const TransferOwnership = StrictObject({
  member_id: Id({ description: 'The membership of the new Owner.' }),
  ...FACTOR_FIELDS,
})
export type TransferOwnership = Static<typeof TransferOwnership>

/** 403 unless the caller is the Owner and has just signed in. */
export function requireRecentlySignedInOwner(ctx: Context, caller: Caller, signedInAt: Date): void {
  const kind = isActor(caller) ? caller.role.kind : null
  enforce(policy.transferOwnership, { kind, ...ageOf(ctx, signedInAt) })
}

/**
 * Makes another member the Owner, and the caller an Admin. 404 for an unknown member, 403 for one without global
 * access. An Owner who has a second factor confirms with it: 403 without one, 401 for a wrong one. Both have global access
 * before and after, so no key copy changes.
 */
export async function transfer(
  ctx: Context,
  actor: Actor,
  { member_id, ...sent }: TransferOwnership,
  browser: string,
): Promise<void> {
  const confirm = await confirmation(ctx, actor, sent, browser)
  await changeOrganisation(ctx, actor, async (tx, actor) => {
    // The role is checked again under the lock; that the sign-in is recent was checked by the route.
    enforce(policy.transferOwnership, { kind: actor.role.kind, signedInSecondsAgo: 0 })
    const target = await members.referredTo(tx, actor, member_id)
    enforce(policy.becomeOwner, { actor, member: { id: target.id, kind: target.role_kind } })
    await confirm(tx)
    const now = ctx.clock.now()
    const roles = await queries.findOwnerAndAdminRoles(tx, actor.organisation.id)
    await principals.handOver(
      tx,
      { id: actor.id, nextRole: roles.admin },
      { id: target.id, nextRole: roles.owner },
    )
    await members.markUpdated(tx, actor.id, now)
    await members.markUpdated(tx, target.id, now)
    await record(ctx, tx, actor, {
      eventType: 'organisation.ownership_transferred',
      resourceId: actor.organisation.id,
      oldValues: { ownerId: actor.id },
      newValues: { ownerId: target.id },
      description: 'Ownership transferred; the former Owner is now an Admin.',
    })
    await queueOrganisationNotices(ctx, tx, actor.organisation.id, [
      [target.user_id, 'ownership-received'],
      ...(actor.userId === null ? [] : [[actor.userId, 'ownership-given'] as const]),
    ])
  })
  await wakeNotices(ctx)
}
