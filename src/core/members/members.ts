import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { cancelSentBy } from '../invites/closing.ts'
import { creationOrder, type Page, type PageRequest, pageRange, toPage } from '../pagination.ts'
import { enforce } from '../policy.ts'
import * as principals from '../principals/principals.ts'
import { referredTo as roleReferredTo } from '../roles/roles.ts'
import { found } from '../rows.ts'
import * as sessions from '../sessions/sessions.ts'
import { changeOrganisation } from '../transactions.ts'
import { type ChangeRole, type Member, type MemberRow, present } from './member.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** The organisation's live members, oldest first. */
export async function list(ctx: Context, actor: Actor, request: PageRequest): Promise<Page<Member>> {
  const window = pageRange(ctx, 'members', request)
  const rows = await queries.list(ctx.db, actor.organisation.id, window)
  return toPage(ctx, 'members', window, rows, creationOrder, present)
}

/** One live member; 404 when the organisation has no such member, or no longer. */
export const get = async (ctx: Context, actor: Actor, id: string): Promise<Member> =>
  present(await existing(ctx.db, actor, id))

/**
 * Gives a member another role, and the key copies that follow from it. 403 where a rule about caller, target or role
 * forbids it, 404 for an unknown role; the role already held changes nothing.
 */
export const changeRole = (ctx: Context, caller: Actor, id: string, input: ChangeRole): Promise<Member> =>
  changeOrganisation(ctx, caller, async (tx, actor) => {
    const member = await existing(tx, actor, id)
    enforce(policy.changeRole, { actor, member: factsOf(member) })
    const role = await roleReferredTo(tx, actor, input.role_id)
    enforce(policy.assignRole, { actor, kind: role.kind })
    if (role.id === member.role_id) return present(member)

    const principal = { id: member.id, organisationId: actor.organisation.id }
    await principals.changeRole(ctx, tx, principal, member.role_kind, role)
    const stored = await queries.touch(tx, member.id, ctx.clock.now())
    await record(ctx, tx, actor, {
      eventType: 'member.role_changed',
      resourceId: member.id,
      resourceMetadata: { name: member.full_name },
      oldValues: { role: { id: member.role_id, name: member.role_name } },
      newValues: { role: { id: stored.role_id, name: stored.role_name } },
      description: `Role changed from "${member.role_name}" to "${stored.role_name}".`,
    })
    return present(stored)
  })

/**
 * Removes a member: keys, grants, tokens, sessions and the invites that it sent are gone with it, the user account
 * stays. 403 where a rule about caller and target forbids it.
 */
export const remove = (ctx: Context, caller: Actor, id: string): Promise<void> =>
  changeOrganisation(ctx, caller, async (tx, actor) => {
    const member = await existing(tx, actor, id)
    enforce(policy.remove, { actor, member: factsOf(member) })
    const now = ctx.clock.now()
    await cancelSentBy(tx, { id: member.id, organisationId: actor.organisation.id }, now)
    await queries.markRemoved(tx, member.id, member.role_name, now)
    // Sessions before tokens, as a new password ends them: neither waits for the other in a circle.
    await sessions.endAll(tx, member.user_id)
    await principals.remove(tx, member.id)
    await record(ctx, tx, actor, {
      eventType: 'member.removed',
      resourceId: member.id,
      resourceMetadata: { name: member.full_name },
      oldValues: { role: { id: member.role_id, name: member.role_name } },
      description: 'Member removed from the organisation.',
    })
  })

/** The live member that a body refers to by its id; 404 names the id where the organisation has no such member. */
export async function referredTo(db: Queryable, actor: Actor, id: string): Promise<MemberRow> {
  return found(await queries.find(db, actor.organisation.id, id), 'Member', id)
}

/** Notes that a membership was changed by what is stored elsewhere. */
export async function touch(tx: Transaction, id: string, at: Date): Promise<void> {
  await queries.touch(tx, id, at)
}

async function existing(db: Queryable, actor: Actor, id: string): Promise<MemberRow> {
  return found(await queries.find(db, actor.organisation.id, id), 'Member')
}

const factsOf = (member: MemberRow) => ({ id: member.id, kind: member.role_kind })
