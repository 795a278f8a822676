import { randomBytes, randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { emailKey } from '../accounts/account.ts'
import { type Actor, shareOf } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { constraintError } from '../constraints.ts'
import type { CountedPage, ListRequest } from '../contract/lists.ts'
import { conflict, notFound } from '../errors.ts'
import { canMatch, filteredName, filterOf } from '../filters.ts'
import { requireRoom } from '../limits.ts'
import { listCounted } from '../pagination.ts'
import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import { enforce } from '../policy.ts'
import { referredTo as roleReferredTo } from '../roles/roles.ts'
import { found } from '../rows.ts'
import { orderOf, sortKeyIn } from '../sorting.ts'
import { changeOrganisation } from '../transactions.ts'
import { cancellationOf } from './closing.ts'
import {
  type CreateInvite,
  INVITE_SECONDS,
  type Invite,
  type InviteRow,
  PENDING_INVITES,
  present,
} from './invite.ts'
import * as listQueries from './list-queries.ts'
import { INVITE_ORDERS } from './list-queries.ts'
import { countInviteMail, countResend } from './mail-limits.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** The organisation's pending invites that pass the filters, oldest first unless a sort is asked for. */
export async function list(ctx: Context, actor: Actor, request: ListRequest): Promise<CountedPage<Invite>> {
  const filter = filterOf(request)
  const order = orderOf<InviteRow>(INVITE_ORDERS, request.sort)
  const asked = { organisationId: actor.organisation.id, at: ctx.clock.now(), filter }
  return listCounted(ctx, request, {
    name: filteredName('invites', filter, order),
    read: (range) => (canMatch(filter) ? listQueries.list(ctx.db, asked, order, range) : Promise.resolve([])),
    count: () => listQueries.count(ctx.db, asked),
    sortKey: sortKeyIn(order),
    present: (row) => present(ctx, actor, row),
  })
}

/**
 * Invites an e-mail address to a role; where there is a mail gateway, a job mails the link. 404 for an unknown role, 400
 * for one with global access, 409 when a member or a pending invite has the address, and beyond `PENDING_INVITES`; 429 when
 * too many were mailed today.
 */
export async function create(ctx: Context, actor: Actor, input: CreateInvite): Promise<Invite> {
  const invite = await changeOrganisation(ctx, actor, async (tx, actor) => {
    const role = await roleReferredTo(tx, actor, input.role_id)
    enforce(policy.create, { kind: role.kind })
    await queries.removeExpired(tx, actor.organisation.id, ctx.clock.now())
    await requireFreeEmail(tx, actor, input.email)
    requireRoom(PENDING_INVITES, await queries.countPending(tx, actor.organisation.id))
    const row = await insert(ctx, tx, actor, input.email, role)
    await record(ctx, tx, actor, {
      eventType: 'invite.created',
      resourceId: row.id,
      newValues: { role: { id: role.id, name: role.name }, expiresAt: row.expires_at.toISOString() },
      description: `Invite to the role "${role.name}" created.`,
    })
    if (ctx.config.smtp !== null) {
      const { patient } = await countInviteMail(ctx, tx, actor, row)
      await ctx.queue.send(tx, 'send-invite', { inviteId: row.id }, { patient })
    }
    return present(ctx, actor, row)
  })
  if (ctx.config.smtp !== null) await ctx.queue.wake()
  return invite
}

/**
 * Mails a pending invite again: the same link, which is valid no longer than before. 404 for one that is not pending, 409
 * without a mail gateway, 429 within a minute of the last time, or when too many were mailed today.
 */
export async function resend(ctx: Context, actor: Actor, id: string): Promise<void> {
  await changeOrganisation(ctx, actor, async (tx, actor) => {
    const row = found(await queries.find(tx, actor.organisation.id, id, ctx.clock.now()), 'Invite')
    enforce(policy.resend, { isMailed: ctx.config.smtp !== null })
    const { patient } = await countResend(ctx, tx, actor, row)
    await record(ctx, tx, actor, {
      eventType: 'invite.resent',
      resourceId: row.id,
      description: `Invite to the role "${row.role_name}" mailed again.`,
    })
    await ctx.queue.send(tx, 'send-invite', { inviteId: row.id }, { patient })
  })
  await ctx.queue.wake()
}

/** Cancels a pending invite: its link no longer works. */
export const cancel = (ctx: Context, actor: Actor, id: string): Promise<void> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const row = found(await queries.find(tx, actor.organisation.id, id, ctx.clock.now()), 'Invite')
    if (!(await queries.remove(tx, row.id))) throw notFound('Invite')
    await record(ctx, tx, actor, cancellationOf(row))
  })

async function requireFreeEmail(tx: Transaction, actor: Actor, email: string): Promise<void> {
  const { isMember, isInvited } = await queries.emailStatus(tx, actor.organisation.id, emailKey(email))
  if (isMember) throw conflict('A member with this e-mail address already exists.')
  if (isInvited) throw constraintError('invites_one_live')
}

async function insert(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  email: string,
  role: { id: string; kind: RoleKind },
): Promise<InviteRow> {
  const now = ctx.clock.now()
  return await queries.insert(tx, {
    id: randomUUID(),
    organisation_id: actor.organisation.id,
    email,
    email_key: emailKey(email),
    role_id: role.id,
    role_kind: role.kind,
    nonce: randomBytes(32),
    invited_by: actor.id,
    share_of: await shareOfInvited(tx, actor),
    created_at: now,
    expires_at: new Date(now.getTime() + INVITE_SECONDS * 1000),
  })
}

/** The member whose share is that of whoever accepts the actor's invite; null where that is its own. */
async function shareOfInvited(tx: Transaction, actor: Actor): Promise<string | null> {
  const kind = await queries.roleKindOf(tx, actor.responsibleId)
  return kind !== undefined && hasGlobalAccess(kind) ? null : shareOf(actor)
}
