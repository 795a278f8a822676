import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { Account, emailKey, presentAccount } from '../accounts/account.ts'
import { findAccount, isMember } from '../accounts/accounts.ts'
import { verifyAddress } from '../accounts/verification.ts'
import type { Credential, RequestSource } from '../actor.ts'
import { recordAs } from '../audit/audit.ts'
import { OrganisationReference } from '../contract/references.ts'
import { conflict, notFound } from '../errors.ts'
import { isLinkOf, linkRowId } from '../links/link.ts'
import { addMember } from '../members/addition.ts'
import { Member } from '../members/member.ts'
import { queueNotice, wakeNotices } from '../notices/notices.ts'
import { enforce } from '../policy.ts'
import type { SignedInUser } from '../sessions/session.ts'
import { beforeChange, lockingTransaction, lockOrganisation } from '../transactions.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** The user who accepts an invite; without a credential while the account is being registered. */
export type AcceptingUser = Readonly<{
  userId: string
  name: string
  credential: Credential | null
  source: RequestSource
}>

/** The invited e-mail address and the organisation. */
export const InvitePreview = Type.Object({
  email: Type.String(),
  organisation: OrganisationReference,
})

/** The new member and the organisation. */
export const Accepted = Type.Object({
  member: Member,
  organisation: Account.properties.organisation.anyOf[0],
})
type Accepted = Static<typeof Accepted>

/** The invited e-mail address and the organisation; 404 for a link that is unknown, used, cancelled or expired. */
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

/** Makes a signed-in user a member of the organisation that invites; errors as of `lockInvite` and `acceptFor`. */
export async function accept(ctx: Context, user: SignedInUser, token: string): Promise<Accepted> {
  const { userId, email, name, credential, source } = user
  // Checked before the wait for the organisation's lock: a guessed token costs one look-up.
  await beforeChange(ctx, user, () => requireInviteFor(ctx, token, emailKey(email)))
  const account = await lockingTransaction(ctx, { caller: userId }, async (tx) => {
    const invite = await lockInvite(ctx, tx, token, emailKey(email))
    await acceptFor(ctx, tx, invite, { userId, name, credential, source })
    return findAccount(tx, userId)
  })
  await wakeNotices(ctx)
  const { member, organisation } = account === undefined ? NO_MEMBERSHIP : presentAccount(ctx, account)
  if (member === null || organisation === null)
    throw new Error('the user who accepted the invite is not a member')
  return { member, organisation }
}

/**
 * Locks the organisation that invites, and gives the invite: no other request can accept or cancel it until this
 * transaction ends. 404 for a link that is unknown, used, cancelled or expired, 403 for an invite to another address.
 */
export async function lockInvite(
  ctx: Context,
  tx: Transaction,
  token: string,
  emailKey: string,
): Promise<queries.InviteDetailsRow> {
  const { organisation_id: organisationId } = await findByToken(ctx, tx, token)
  await lockOrganisation(tx, organisationId)
  // Read again under the lock: a concurrent request may have accepted or cancelled it.
  const invite = await findByToken(ctx, tx, token)
  enforce(policy.accept, { invitedKey: invite.email_key, accountKey: emailKey })
  return invite
}

/**
 * Accepts an invite that `lockInvite` gave, in the same transaction. 409 for a user who is a member of an organisation.
 * Where the link came by mail, it also proves the e-mail address. Wake the notices after the commit.
 */
export async function acceptFor(
  ctx: Context,
  tx: Transaction,
  invite: queries.InviteDetailsRow,
  user: AcceptingUser,
): Promise<void> {
  if (await isMember(tx, user.userId)) {
    throw conflict('You are already a member of an organisation.')
  }
  if (!(await queries.remove(tx, invite.id))) throw notFound('Invite')
  if (ctx.config.smtp !== null) await verifyAddress(ctx, tx, user.userId, user.source, user.credential)
  const { organisation_id: organisationId, role, share_of: shareOf } = invite
  const memberId = await addMember(ctx, tx, { organisationId, userId: user.userId, role, shareOf })
  await recordAcceptance(ctx, tx, invite, user, memberId)
  if (invite.sender_user_id !== null) {
    await queueNotice(ctx, tx, invite.sender_user_id, 'invite-accepted', role.name, user.userId)
  }
}

const NO_MEMBERSHIP = { member: null, organisation: null }

async function findByToken(ctx: Context, db: Queryable, token: string): Promise<queries.InviteDetailsRow> {
  const id = linkRowId(token)
  const [invite] = id === null ? [] : await queries.findDetails(db, id, ctx.clock.now())
  if (invite === undefined || !isLinkOf(ctx, 'invite', invite, token)) throw notFound('Invite')
  return invite
}

async function recordAcceptance(
  ctx: Context,
  tx: Transaction,
  { id, organisation_id: organisationId, role }: queries.InviteDetailsRow,
  { userId, name, credential, source }: AcceptingUser,
  memberId: string,
): Promise<void> {
  const member = { type: 'user', id: memberId, userId, name, role, credential, source } as const
  await recordAs(ctx, tx, member, organisationId, {
    eventType: 'invite.accepted',
    resourceId: id,
    newValues: { memberId, role: { id: role.id, name: role.name } },
    description: `Invite to the role "${role.name}" accepted.`,
  })
}
