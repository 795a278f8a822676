import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { count, counterWindow } from '../sign-in/sign-in-limits.ts'
import type { NoticeKind } from './notice.ts'
import * as queries from './queries.ts'

/**
 * Queues a mail that tells a user what happened to the account or membership; `name` is what the notice names, such as
 * the new role, and `byUserId` who did it, where the user may know the address. Wake the queue after the commit. Does
 * nothing without a mail gateway.
 */
export async function queueNotice(
  ctx: Context,
  tx: Transaction,
  userId: string,
  notice: NoticeKind,
  name = '',
  byUserId?: string,
): Promise<void> {
  if (ctx.config.smtp === null) return
  await ctx.queue.send(tx, 'send-notice', {
    userId,
    notice,
    name,
    ...(byUserId !== undefined && { byUserId }),
  })
}

/** So many mails about a new role a user is sent in a day: whoever changes roles could fill an inbox otherwise. */
export const ROLE_MAILS: RateLimit = { limit: 10, windowSeconds: 24 * 3600 }

/** So many mails about secrets that expire a user is sent in a day: whoever changes secrets could fill inboxes otherwise. */
export const EXPIRY_MAILS: RateLimit = { limit: 3, windowSeconds: 24 * 3600 }

/** Queues a mail about a user's new role, unless there were `ROLE_MAILS` already. Like `queueNotice` otherwise. */
export const queueRoleNotice = (ctx: Context, tx: Transaction, userId: string, role: string): Promise<void> =>
  queueWithin(ctx, tx, userId, ROLE_MAILS, 'role mails to', 'role-changed', role)

/**
 * Queues a mail about secrets that expire, unless there were `EXPIRY_MAILS` already. Like `queueNotice` otherwise. Whoever
 * tells several users takes them in the order of their ids: their counters stay locked until the commit.
 */
export const queueExpiryNotice = (
  ctx: Context,
  tx: Transaction,
  userId: string,
  environments: string,
): Promise<void> =>
  queueWithin(ctx, tx, userId, EXPIRY_MAILS, 'expiry mails to', 'secrets-expire', environments)

async function queueWithin(
  ctx: Context,
  tx: Transaction,
  userId: string,
  rate: RateLimit,
  counter: string,
  notice: NoticeKind,
  name: string,
): Promise<void> {
  if (ctx.config.smtp === null) return
  const window = counterWindow(ctx, rate, ctx.clock.now().getTime(), [counter, userId])
  if ((await count(ctx, [window], tx)) === null) await queueNotice(ctx, tx, userId, notice, name)
}

/** Queues a notice that names an organisation, for each of the users. Like `queueNotice` otherwise. */
export async function queueOrganisationNotices(
  ctx: Context,
  tx: Transaction,
  organisationId: string,
  notices: readonly (readonly [userId: string, notice: NoticeKind])[],
): Promise<void> {
  if (ctx.config.smtp === null) return
  const name = await queries.organisationName(tx, organisationId)
  for (const [userId, notice] of notices) await queueNotice(ctx, tx, userId, notice, name)
}

/** Has workers look for queued notices at once. Call it after the commit. Does nothing without a mail gateway. */
export async function wakeNotices(ctx: Context): Promise<void> {
  if (ctx.config.smtp !== null) await ctx.queue.wake()
}
