import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { isMember } from '../accounts/accounts.ts'
import { countEach, counterWindow } from '../sign-in/sign-in-limits.ts'
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
  const payload = { userId, notice, name, ...(byUserId !== undefined && { byUserId }) }
  // Thousands may be reminded at once, and strangers can register many accounts: a member who must know what happened to its
  // account doesn't wait for those.
  const patient = notice === 'secrets-expire' || !(await isMember(tx, userId))
  await ctx.queue.send(tx, 'send-notice', payload, { patient })
}

/** So many mails about a new role a user is sent in a day: whoever changes roles could fill an inbox otherwise. */
export const ROLE_MAILS: RateLimit = { limit: 10, windowSeconds: 24 * 3600 }

/** So many mails about secrets that expire a user is sent in a day: whoever changes secrets could fill inboxes otherwise. */
export const EXPIRY_MAILS: RateLimit = { limit: 3, windowSeconds: 24 * 3600 }

/** Queues a mail about a user's new role, unless there were `ROLE_MAILS` already. Like `queueNotice` otherwise. */
export async function queueRoleNotice(
  ctx: Context,
  tx: Transaction,
  userId: string,
  role: string,
): Promise<void> {
  if (ctx.config.smtp === null) return
  const window = counterWindow(ctx, ROLE_MAILS, ctx.clock.now().getTime(), ['role mails to', userId])
  if ((await countEach(tx, [window])).length === 0) await queueNotice(ctx, tx, userId, 'role-changed', role)
}

/**
 * Queues mails about secrets that expire, one to each of the users, who are different ones: but none to whom `EXPIRY_MAILS`
 * were sent already. All are counted at once. Like `queueNotice` otherwise.
 */
export async function queueExpiryNotices(
  ctx: Context,
  tx: Transaction,
  notices: readonly Readonly<{ userId: string; environments: string }>[],
): Promise<void> {
  if (ctx.config.smtp === null || notices.length === 0) return
  const now = ctx.clock.now().getTime()
  const windows = notices.map(({ userId }) =>
    counterWindow(ctx, EXPIRY_MAILS, now, ['expiry mails to', userId]),
  )
  const exceeded = new Set(await countEach(tx, windows))
  for (const [place, { userId, environments }] of notices.entries()) {
    const window = windows[place]
    if (window !== undefined && exceeded.has(window)) continue
    await queueNotice(ctx, tx, userId, 'secrets-expire', environments)
  }
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
