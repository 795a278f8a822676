import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import type { Limit } from '../limits.ts'
import { linkUrl } from '../links/link.ts'
import { Email, Id, Nullable, StrictObject, Timestamp } from '../schema.ts'

/** How long an invite can be accepted. */
export const INVITE_SECONDS = 14 * 24 * 3600

/** How many invites of an organisation can wait for an answer. */
export const PENDING_INVITES: Limit = {
  holder: 'An organisation',
  most: 1000,
  what: 'pending invites',
  remedy: 'Cancel one first, or wait until one is accepted.',
}

/** A live invite as it is read; the sender is null once it is gone. */
export type InviteRow = Readonly<{
  id: string
  email: string
  nonce: Uint8Array
  role_id: string
  role_name: string
  sender_id: string | null
  sender_type: 'member' | 'service_account' | null
  sender_name: string | null
  created_at: Date
  expires_at: Date
}>

/** An invite as it is shown. */
export const Invite = Type.Object({
  id: Type.String({ description: 'Unique identifier of the invite.' }),
  inviteeEmail: Type.String(),
  role: Type.Object({ id: Type.String(), name: Type.String() }),
  invitedBy: Nullable(
    Type.Object({
      type: Type.Union([Type.Literal('user'), Type.Literal('service_account')]),
      id: Type.String({ description: 'The id of the membership, or of the service account.' }),
      name: Type.String(),
    }),
  ),
  createdAt: Timestamp(),
  expiresAt: Timestamp(),
  inviteUrl: Nullable(
    Type.String({
      description: 'The link to hand over, for whoever may invite; null where the service mails it itself.',
    }),
  ),
})
export type Invite = Static<typeof Invite>

/** The body that invites somebody. */
export const CreateInvite = StrictObject({
  email: Email(),
  role_id: Id({ description: 'The role that whoever accepts will hold.' }),
})
export type CreateInvite = Static<typeof CreateInvite>

/**
 * An invite as it is shown to the actor. Its link lets in whoever has it: it is shown to those alone who may invite, and
 * to nobody where a mail gateway takes it to its address.
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
