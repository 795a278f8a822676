import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import { PrincipalReference, RoleReference } from '../contract/references.ts'
import type { Limit } from '../limits.ts'
import { linkUrl } from '../links/link.ts'
import type { Prefixed } from '../rows.ts'
import { Email, Id, Nullable, StrictObject, Timestamp } from '../schema.ts'
import type { Row } from '../tables.ts'

/** How long an invite can be accepted. */
export const INVITE_SECONDS = 14 * 24 * 3600

/** How many pending invites an organisation can have. */
export const PENDING_INVITES: Limit = {
  holder: 'An organisation',
  most: 1000,
  what: 'pending invites',
  remedy: 'Cancel one first, or wait until one is accepted.',
}

/** A pending invite with its role and its sender, who is null once removed. */
export type InviteRow = Row<'invites', 'id' | 'email' | 'email_key' | 'nonce' | 'created_at' | 'expires_at'> &
  Prefixed<'role_', Row<'roles', 'id' | 'name'>> &
  Readonly<{
    sender_id: string | null
    sender_type: Row<'principals', 'type'>['type'] | null
    sender_name: string | null
  }>

/** The fields by which invites can be sorted. */
export const INVITE_SORTS = ['email', 'created_at', 'expires_at'] as const

/** An invite as it is shown. */
export const Invite = Type.Object({
  id: Type.String({ description: 'Unique identifier of the invite.' }),
  inviteeEmail: Type.String(),
  role: RoleReference,
  invitedBy: Nullable(PrincipalReference()),
  createdAt: Timestamp(),
  expiresAt: Timestamp(),
  inviteUrl: Nullable(
    Type.String({
      description: 'The link to hand over, for callers that may invite; null where the service mails it.',
    }),
  ),
})
export type Invite = Static<typeof Invite>

/** An invite without its link. */
export const InviteWithoutLink = Type.Omit(Invite, ['inviteUrl'])
export type InviteWithoutLink = Static<typeof InviteWithoutLink>

/** The body that creates an invite. */
export const CreateInvite = StrictObject({
  email: Email(),
  role_id: Id({ description: 'The role of the new member.' }),
})
export type CreateInvite = Static<typeof CreateInvite>

/**
 * An invite as it is shown to the actor. Its link is a secret that lets its holder in: it is shown only to callers that
 * may invite, and not at all where a mail gateway delivers it.
 */
export const present = (ctx: Context, actor: Actor, row: InviteRow): Invite => ({
  id: row.id,
  inviteeEmail: row.email,
  role: { id: row.role_id, name: row.role_name },
  invitedBy:
    row.sender_id === null
      ? null
      : {
          type: row.sender_type === 'service_account' ? 'service_account' : 'user',
          id: row.sender_id,
          name: row.sender_name ?? '',
        },
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  inviteUrl: ctx.config.smtp === null && can(actor, 'create', 'Members') ? linkUrl(ctx, 'invite', row) : null,
})

/** An invite as it is shown where its link isn't needed. */
export const withoutLink = ({ inviteUrl: _, ...invite }: Invite): InviteWithoutLink => invite
