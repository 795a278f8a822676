import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { Account, emailKey, presentAccount } from '../accounts/account.ts'
import { findAccount, markEmailVerified } from '../accounts/accounts.ts'
import type { Credential, RequestSource } from '../actor.ts'
import { recordAs } from '../audit/audit.ts'
import { conflict, notFound } from '../errors.ts'
import { isLinkOf, linkRowId } from '../links/link.ts'
import { addMember } from '../members/addition.ts'
import { Member } from '../members/member.ts'
import { enforce } from '../policy.ts'
import type { SignedInUser } from '../sessions/session.ts'
import { lockingTransaction, lockOrganisation } from '../transactions.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** Whoever accepts an invite; without a credential while the account is only being made. */
export type AcceptingUser = Readonly<{
  userId: string
  name: string
  credential: Credential | null
  source: RequestSource
}>

/** Whom a link invites, and where to. */
export const InvitePreview = Type.Object({
  email: Type.String(),
  organisation: Type.Object({ id: Type.String(), name: Type.String() }),
})

/** What whoever has accepted is now. */
export const Accepted = Type.Object({
  member: Member,
  organisation: Account.properties.organisation.anyOf[0],
})
type Accepted = Static<typeof Accepted>

/** Whom a link invites and where to; 404 for a link that is unknown, used, cancelled or expired. */
export async function preview(ctx: Context, token: string): Promise<Static<typeof InvitePreview>> {
  const { email, organisation_id, organisation_name } = await findByToken(ctx, ctx.db, token)
  return { email, organisation: { id: organisation_id, name: organisation_name } }
}

/** 404 for a link that is unknown, used, cancelled or expired, 403 for an invite to another address. Changes nothing. */
export async function requireInviteFor(ctx: Context, token: string, emailKey: string): Promise<void> {
  enforce(policy.accept, {
    invitedKey: (await findByToken(ctx, ctx.db, token)).email_key,
    accountKey: emailKey,
  })
}

/** Makes whoever is signed in a member of the organisation that invites; refused as `takeOffer` and `acceptFor` say. */
export async function accept(ctx: Context, caller: SignedInUser, token: string): Promise<Accepted> {
  const { userId, email, name, credential, source } = caller
  // Before it waits for the organisation: a guess costs one look-up.
  await requireInviteFor(ctx, token, emailKey(email))
  const account = await lockingTransaction(ctx, async (tx) => {
    const offer = await lockInvite(ctx, tx, token, emailKey(email))
    await acceptFor(ctx, tx, offer, { userId, name, credential, source })
    return findAccount(tx, userId)
  })
  const { member, organisation } = account === undefined ? NO_MEMBERSHIP : presentAccount(ctx, account)
  if (member === null || organisation === null) throw new Error('whoever has just joined is no member')
  return { member, organisation }
}

/**
 * Takes the lock of the organisation that invites, and gives what it offers: nobody else can accept or cancel it until
 * the caller's transaction ends. 404 for a link that is unknown, used, cancelled or expired, 403 for an invite to another
 * address.
 */
export async function lockInvite(
  ctx: Context,
  tx: Transaction,
  token: string,
  emailKey: string,
): Promise<queries.InviteDetailsRow> {
  const { organisation_id: organisationId } = await findByToken(ctx, tx, token)
  await lockOrganisation(tx, organisationId)
  // Read again: whoever held the lock may have accepted or cancelled it.
  const offer = await findByToken(ctx, tx, token)
  enforce(policy.accept, { invitedKey: offer.email_key, accountKey: emailKey })
  return offer
}

/**
 * Accepts an invite that `takeOffer` gave, in the same transaction. 409 for somebody who belongs to an organisation. Where
 * the link came by mail it proves the address, too.
 */
export async function acceptFor(
  ctx: Context,
  tx: Transaction,
  offer: queries.InviteDetailsRow,
  invitee: AcceptingUser,
): Promise<void> {
  if ((await queries.isMember(tx, invitee.userId)).length > 0) {
    throw conflict('You already belong to an organisation.')
  }
  const now = ctx.clock.now()
  if (!(await queries.close(tx, offer.id, 'accepted', now))) throw notFound('Invite')
  if (ctx.config.smtp !== null) await markEmailVerified(tx, invitee.userId, now)
  const { organisation_id: organisationId, role } = offer
  const memberId = await addMember(ctx, tx, { organisationId, userId: invitee.userId, role })
  await recordAcceptance(ctx, tx, offer, invitee, memberId)
}

const NO_MEMBERSHIP = { member: null, organisation: null }

async function findByToken(
  ctx: Context,
  db: Parameters<typeof queries.findDetails>[0],
  token: string,
): Promise<queries.InviteDetailsRow> {
  const id = linkRowId(token)
  const [offer] = id === null ? [] : await queries.findDetails(db, id, ctx.clock.now())
  if (offer === undefined || !isLinkOf(ctx, 'invite', offer, token)) throw notFound('Invite')
  return offer
}

async function recordAcceptance(
  ctx: Context,
  tx: Transaction,
  offer: queries.InviteDetailsRow,
  { userId, name, credential, source }: AcceptingUser,
  memberId: string,
): Promise<void> {
  const { id, role } = offer
  const author = { type: 'user', id: memberId, userId, name, role, credential, source } as const
  await recordAs(ctx, tx, author, offer.organisation_id, {
    eventType: 'invite.accepted',
    resourceId: id,
    newValues: { memberId, role: { id: role.id, name: role.name } },
    description: `An invite to the role "${role.name}" was accepted.`,
  })
}
