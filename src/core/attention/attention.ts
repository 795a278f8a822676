import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import { refusalsSince } from '../audit/entries.ts'
import { Entry } from '../audit/entry.ts'
import { CountedListOf } from '../contract/counted-lists.ts'
import { InviteWithoutLink } from '../invites/invite.ts'
import * as invites from '../invites/invites.ts'
import { Member } from '../members/member.ts'
import * as members from '../members/members.ts'
import { ExpiringSecret, expiringBy } from '../secrets/expiring-secrets.ts'
import { ExpiringToken, expiringBetween, mayReadExpiring } from '../tokens/expiring-tokens.ts'

/** How many items of a kind are shown, and how far those that there are get counted. */
export const SIZE = { shown: 20, most: 1000 } as const

/** How far an expiry is looked for ahead, for how long an expired token is told of, and how old refusals may be. */
const AHEAD_DAYS = 14
const BACK_DAYS = 7
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000

/** What needs attention: a kind is absent where the caller may not read it. */
export const Attention = Type.Object({
  pendingInvites: Type.Optional(
    CountedListOf(
      InviteWithoutLink,
      'Invites that can still be accepted; those that expire first come first.',
    ),
  ),
  expiringTokens: Type.Optional(
    CountedListOf(
      ExpiringToken,
      `Tokens that expire within ${AHEAD_DAYS} days or have expired in the last ${BACK_DAYS}, by their expiry: a member's own, and those of service accounts where the caller may read them.`,
    ),
  ),
  expiringSecrets: Type.Optional(
    CountedListOf(
      ExpiringSecret,
      `Secrets of environments that the caller can open: first those that expire within ${AHEAD_DAYS} days, then those that have expired, the latest first.`,
    ),
  ),
  membersWithoutAccess: Type.Optional(
    CountedListOf(Member, 'Members who can open no environment, oldest first.'),
  ),
  recentDenials: Type.Optional(
    CountedListOf(
      Entry,
      `Entries of the audit log about requests that were refused in the last ${BACK_DAYS} days, newest first.`,
    ),
  ),
})
export type Attention = Static<typeof Attention>

/** What needs somebody's attention, of what the actor may read: the first of each kind, and how many there are. */
export async function get(ctx: Context, actor: Actor): Promise<Attention> {
  const now = ctx.clock.now().getTime()
  const from = new Date(now - BACK_DAYS * DAY_MILLISECONDS)
  const until = new Date(now + AHEAD_DAYS * DAY_MILLISECONDS)
  const readsMembers = can(actor, 'read', 'Members')
  // One after the other: a request has one connection.
  return {
    ...(readsMembers && { pendingInvites: await invites.expiringFirst(ctx, actor, SIZE.shown) }),
    ...(mayReadExpiring(actor) && {
      expiringTokens: await expiringBetween(ctx, actor, { from, until }, SIZE),
    }),
    ...(can(actor, 'read', 'Secrets', 'appPermissions') && {
      expiringSecrets: await expiringBy(ctx, actor, until, SIZE),
    }),
    ...(readsMembers && { membersWithoutAccess: await members.withoutAccess(ctx, actor, SIZE) }),
    ...(can(actor, 'read', 'Logs') && { recentDenials: await refusalsSince(ctx, actor, from, SIZE) }),
  }
}
