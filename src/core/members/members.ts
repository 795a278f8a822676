import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import type { CountedPage, ListRequest } from '../contract/lists.ts'
import { type IfMatch, requireMatch } from '../etags.ts'
import { canMatch, filteredName, filterOf } from '../filters.ts'
import { accessOf } from '../grants/access.ts'
import type { Room } from '../large-reads.ts'
import { queueOrganisationNotices, queueRoleNotice, wakeNotices } from '../notices/notices.ts'
import { listCounted } from '../pagination.ts'
import { hasGlobalAccess } from '../permissions.ts'
import { enforce } from '../policy.ts'
import * as principals from '../principals/principals.ts'
import { referredTo as roleReferredTo } from '../roles/roles.ts'
import { found } from '../rows.ts'
import * as sessions from '../sessions/sessions.ts'
import { orderOf, sortKeyIn } from '../sorting.ts'
import { changeOrganisation } from '../transactions.ts'
import * as listQueries from './list-queries.ts'
import { MEMBER_ORDERS, type MemberListRow } from './list-queries.ts'
import {
  type ChangeRole,
  type ListedMember,
  type Member,
  type MemberRow,
  present,
  presentListed,
} from './member.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** The use cases of what a member can access. */
export const access = accessOf('member', queries.findWithAccess, present)

/** Sets when a membership was last changed. */
export { markUpdated } from './queries.ts'

/** What a list of members is asked for: `access: none` leaves out who can open an environment, or has global access. */
export type MembersRequest = ListRequest & Readonly<{ access?: 'none' }>

/** Listing a member takes about as long as reading so many bytes of secrets, although it is shown in 400. */
const BYTES_EACH = 1000

/** The organisation's active members that pass the filters, oldest first unless a sort is asked for. */
export async function list(
  ctx: Context,
  actor: Actor,
  request: MembersRequest,
  room?: Room,
): Promise<CountedPage<ListedMember>> {
  const filter = { ...filterOf(request), withoutAccess: request.access === 'none' }
  const order = orderOf<MemberListRow>(MEMBER_ORDERS, request.sort)
  const organisationId = actor.organisation.id
  return listCounted(ctx, request, {
    name: filteredName('members', filter, order, { access: request.access }),
    read: (range) =>
      canMatch(filter) ? listQueries.list(ctx.db, organisationId, filter, order, range) : Promise.resolve([]),
    count: () => listQueries.count(ctx.db, organisationId, filter),
    sortKey: sortKeyIn(order),
    present: presentListed,
    large: room && canMatch(filter) ? { room, bytesEach: BYTES_EACH } : undefined,
  })
}

/** One active member; 404 when the organisation has none of this id. */
export const get = async (ctx: Context, actor: Actor, id: string): Promise<Member> =>
  present(await existing(ctx.db, actor, id))

/**
 * Gives a member another role, and the key copies that follow from it. 403 where a rule about actor, member or role
 * forbids it, 404 for an unknown member or role; the role already held changes nothing. 412 unless
 * `ifMatch` names the member as it is.
 */
export async function changeRole(
  ctx: Context,
  actor: Actor,
  id: string,
  input: ChangeRole,
  ifMatch: IfMatch = null,
): Promise<Member> {
  const changed = await changeOrganisation(ctx, actor, async (tx, actor) => {
    const member = await existing(tx, actor, id)
    enforce(policy.changeRole, { actor, member: factsOf(member) })
    await requireMatch(ifMatch, () => present(member))
    const role = await roleReferredTo(tx, actor, input.role_id)
    enforce(policy.assignRole, { actor, kind: role.kind })
    if (role.id === member.role_id) return present(member)

    const principal = { id: member.id, organisationId: actor.organisation.id }
    await principals.changeRole(ctx, tx, principal, member.role_kind, role)
    if (hasGlobalAccess(role.kind)) await queries.giveOwnShare(tx, member.id)
    const stored = await queries.markUpdated(tx, member.id, ctx.clock.now())
    await record(ctx, tx, actor, {
      eventType: 'member.role_changed',
      resourceId: member.id,
      resourceMetadata: { name: member.full_name },
      oldValues: { role: { id: member.role_id, name: member.role_name } },
      newValues: { role: { id: stored.role_id, name: stored.role_name } },
      description: `Role changed from "${member.role_name}" to "${stored.role_name}".`,
    })
    await queueRoleNotice(ctx, tx, member.user_id, stored.role_name)
    return present(stored)
  })
  await wakeNotices(ctx)
  return changed
}

/**
 * Removes a member: its keys, grants, tokens and sessions are deleted, and the pending invites that it sent cancelled;
 * the user stays. 403 where a rule about actor and member forbids it, 412 unless `ifMatch` names it as it is.
 */
export async function remove(ctx: Context, actor: Actor, id: string, ifMatch: IfMatch = null): Promise<void> {
  await changeOrganisation(ctx, actor, async (tx, actor) => {
    const member = await existing(tx, actor, id)
    enforce(policy.remove, { actor, member: factsOf(member) })
    await requireMatch(ifMatch, () => present(member))
    await queries.markRemoved(tx, member.id, member.role_name, ctx.clock.now())
    // Sessions before tokens, the order of a password change: the other one could deadlock.
    await sessions.endAll(tx, member.user_id)
    const { tokens } = await principals.remove(ctx, tx, actor, member.id)
    await record(ctx, tx, actor, {
      eventType: 'member.removed',
      resourceId: member.id,
      resourceMetadata: { name: member.full_name },
      oldValues: { role: { id: member.role_id, name: member.role_name }, tokens },
      description: 'Member removed from the organisation.',
    })
    await queueOrganisationNotices(ctx, tx, actor.organisation.id, [[member.user_id, 'member-removed']])
  })
  await wakeNotices(ctx)
}

/** The active member that a body names by its id; 404 with the id when the organisation has none. */
export const referredTo = async (db: Queryable, actor: Actor, id: string): Promise<MemberRow> =>
  found(await queries.find(db, actor.organisation.id, id), 'Member', id)

const existing = async (db: Queryable, actor: Actor, id: string): Promise<MemberRow> =>
  found(await queries.find(db, actor.organisation.id, id), 'Member')

const factsOf = (member: MemberRow) => ({ id: member.id, kind: member.role_kind })
