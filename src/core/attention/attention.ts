import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import { denialsSince } from '../audit/entries.ts'
import { Entry } from '../audit/entry.ts'
import { type FirstItems, FirstItemsOf } from '../contract/first-items.ts'
import { InviteWithoutLink, withoutLink } from '../invites/invite.ts'
import * as invites from '../invites/invites.ts'
import { ListedMember } from '../members/member.ts'
import * as members from '../members/members.ts'
import { ExpiringSecret, expiringBy } from '../secrets/expiring-secrets.ts'
import { ExpiringToken, expiringBetween, mayReadExpiring } from '../tokens/expiring-tokens.ts'

/** How many items of a kind are shown, and how far tokens, secrets and refusals are counted. */
export const SIZE = { shown: 20, most: 1000 } as const

/** How far an expiry is looked for ahead, for how long an expired token is told of, and how old refusals may be. */
const AHEAD_DAYS = 14
const BACK_DAYS = 7
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000

/** What needs attention: a kind is absent where the caller may not read it. */
export const Attention = Type.Object({
  pendingInvites: Type.Optional(
    FirstItemsOf(
      InviteWithoutLink,
      'Invites that can still be accepted; those that expire first come first.',
    ),
  ),
  expiringTokens: Type.Optional(
    FirstItemsOf(
      ExpiringToken,
      `Tokens that expire within ${AHEAD_DAYS} days or have expired in the last ${BACK_DAYS}, by their expiry: a member's own, and those of service accounts where the caller may read them.`,
    ),
  ),
  expiringSecrets: Type.Optional(
    FirstItemsOf(
      ExpiringSecret,
      `Secrets of environments that the caller can open: first those that expire within ${AHEAD_DAYS} days, then those that have expired, the latest first.`,
    ),
  ),
  membersWithoutAccess: Type.Optional(
    FirstItemsOf(ListedMember, 'Members who can open no environment, oldest first.'),
  ),
  recentDenials: Type.Optional(
    FirstItemsOf(
      Entry,
      `Entries of the audit log about requests that were refused in the last ${BACK_DAYS} days, newest first: not those of people without a membership, nor those that only asked for a new sign-in.`,
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
    ...(readsMembers && { pendingInvites: await pendingInvites(ctx, actor) }),
    ...(mayReadExpiring(actor) && {
      expiringTokens: await expiringBetween(ctx, actor, { from, until }, SIZE),
    }),
    ...(can(actor, 'read', 'Secrets', 'appPermissions') && {
      expiringSecrets: await expiringBy(ctx, actor, until, SIZE),
    }),
    ...(readsMembers && { membersWithoutAccess: await membersWithoutAccess(ctx, actor) }),
    ...(can(actor, 'read', 'Logs') && { recentDenials: await denialsSince(ctx, actor, from, SIZE) }),
  }
}

async function pendingInvites(ctx: Context, actor: Actor): Promise<FirstItems<InviteWithoutLink>> {
  const { data, total = 0 } = await invites.list(ctx, actor, { sort: 'expires_at', limit: SIZE.shown })
  return { total, data: data.map(withoutLink) }
}

async function membersWithoutAccess(ctx: Context, actor: Actor): Promise<FirstItems<ListedMember>> {
  const { data, total = 0 } = await members.list(ctx, actor, { access: 'none', limit: SIZE.shown })
  return { total, data }
}
