import { randomBytes, randomUUID } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { NewPassword, ownPasswordTurn, passwordEvent, RevokeTokens } from '../accounts/account.ts'
import { recordAccount } from '../accounts/account-audit.ts'
import * as accounts from '../accounts/accounts.ts'
import { verifyAddress } from '../accounts/verification.ts'
import type { RequestSource } from '../actor.ts'
import type { AuditEvent } from '../audit/events.ts'
import { latestNow } from '../clock-skew.ts'
import { notFound } from '../errors.ts'
import { queueNotice, wakeNotices } from '../notices/notices.ts'
import { Id, StrictObject } from '../schema.ts'
import * as sessions from '../sessions/sessions.ts'
import { deviceCookie } from '../sign-in/devices.ts'
import { removeAllButPassword } from '../sign-in/other-ways-in.ts'
import { revokeAllOf } from '../tokens/revocation.ts'
import { transaction } from '../transactions.ts'
import { removeFactors } from './handed-link.ts'
import { EMAIL_LINK_SECONDS, isLinkOf, linkRowId } from './link.ts'
import * as queries from './queries.ts'

/** At most one mail per address in this time, and so many valid links, so that a mailbox can't be flooded. */
const MIN_SECONDS_BETWEEN_LINKS = 60
const MAX_PENDING_LINKS = 5

/** The body that uses a link. */
export const LinkToken = StrictObject({
  token: Id({ description: "The text after the # in the link's address." }),
})
/** The body that sets a new password. */
export const ResetPassword = Type.Composite(
  [LinkToken, Type.Object({ new_password: NewPassword(), revoke_tokens: RevokeTokens() })],
  { additionalProperties: false },
)
export type ResetPassword = Static<typeof ResetPassword>

/** Mails the link that verifies a new account's address; in the transaction of its registration. */
export const sendVerification = (ctx: Context, tx: Transaction, userId: string): Promise<void> =>
  createLink(ctx, tx, userId, 'verify-email')

/** Verifies an account's address with the link that was mailed. 404 when it is unknown, used or expired. */
export async function verifyEmail(ctx: Context, token: string, source: RequestSource): Promise<void> {
  // Checked before a transaction begins: a guessed token costs one query.
  await linkOf(ctx, ctx.db, token, 'verify-email')
  await transaction(ctx, async (tx) => {
    const { user_id: userId } = await useLink(ctx, tx, token, 'verify-email')
    await verifyAddress(ctx, tx, userId, source)
  })
}

/**
 * Sets a new password with the link that was mailed, or that an operator handed over. A mailed one also verifies the
 * address; of an account whose address nobody had, and that was never a member, it removes what else whoever registered it
 * could sign in with. Ends all sessions and all other such links, and on request revokes the personal access tokens. 404 when the
 * link is unknown, used or expired. Returns the new device cookie of this browser; earlier ones are void.
 */
export async function resetPassword(
  ctx: Context,
  input: ResetPassword,
  source: RequestSource,
  deviceCookies: readonly string[],
): Promise<{ deviceCookie: string }> {
  // Check the link first: hashing is expensive.
  const { user_id } = await linkOf(ctx, ctx.db, input.token, 'reset-password')
  const account = await accounts.findAccount(ctx.db, user_id)
  if (account === undefined) throw notFound('Link')
  const passwordHash = await ctx.passwords.hash(input.new_password, ownPasswordTurn(account))
  const reset = await transaction(ctx, async (tx) => {
    const link = await useLink(ctx, tx, input.token, 'reset-password')
    const userId = link.user_id
    const now = ctx.clock.now()
    if (!link.by_operator && (await accounts.isUnclaimed(tx, account))) await removeAllButPassword(tx, userId)
    await accounts.replacePassword(tx, userId, passwordHash, now)
    if (link.by_operator) await accounts.waiveVerification(tx, userId, now)
    else await verifyAddress(ctx, tx, userId, source)
    await sessions.endAll(tx, userId)
    const record = (...events: AuditEvent[]) => recordUser(ctx, tx, userId, source, ...events)
    if (link.removes_factors) await removeFactors(ctx, tx, userId, record)
    const revoked = input.revoke_tokens ? await revokeAllOf(ctx, tx, userId, record) : null
    await record({
      eventType: 'user.password_reset',
      resourceId: userId,
      ...passwordEvent(
        `Password set with a link ${link.by_operator ? 'of an operator' : 'sent by mail'}`,
        revoked,
      ),
    })
    await queueNotice(ctx, tx, userId, 'password-changed')
    return { deviceCookie: deviceCookie(ctx, { ...account, password_hash: passwordHash }, deviceCookies) }
  })
  await wakeNotices(ctx)
  return reset
}

/** Ends the links that set an account's password, since its user has just set another one. */
export async function revokePasswordLinks(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  await queries.markAllUsed(tx, userId, 'reset-password', ctx.clock.now())
}

/** Creates a link unless there are enough, and queues its mail. The user's row must be locked, or inserted in this transaction. */
export async function createLink(
  ctx: Context,
  tx: Transaction,
  userId: string,
  purpose: queries.EmailLinkPurpose,
): Promise<void> {
  const at = ctx.clock.now()
  const after = (seconds: number) => new Date(at.getTime() + seconds * 1000)
  const [link] = await queries.insert(tx, {
    id: randomUUID(),
    userId,
    purpose,
    nonce: randomBytes(32),
    at,
    expiresAt: after(EMAIL_LINK_SECONDS[purpose]),
    recentAt: after(-MIN_SECONDS_BETWEEN_LINKS),
    latest: latestNow(at),
    most: MAX_PENDING_LINKS,
  })
  if (link === undefined) return
  const job = purpose === 'verify-email' ? 'send-verification' : 'send-password-reset'
  // Strangers can register many accounts, and ask for a link of each: members don't wait for those.
  await ctx.queue.send(tx, job, { linkId: link.id }, { patient: !(await accounts.isMember(tx, userId)) })
}

async function linkOf(
  ctx: Context,
  db: Queryable,
  token: string,
  purpose: queries.EmailLinkPurpose,
): Promise<queries.EmailLinkRow> {
  const id = linkRowId(token)
  const now = ctx.clock.now()
  const [link] = id === null ? [] : await queries.find(db, id, purpose, now, latestNow(now))
  if (link === undefined || !isLinkOf(ctx, purpose, link, token)) throw notFound('Link')
  return link
}

/** Marks a link, and every other of its account and purpose, as used; returns it. */
async function useLink(
  ctx: Context,
  tx: Transaction,
  token: string,
  purpose: queries.EmailLinkPurpose,
): Promise<queries.EmailLinkRow> {
  const link = await linkOf(ctx, tx, token, purpose)
  await accounts.lockAccount(tx, link.user_id)
  const used = await queries.markAllUsed(tx, link.user_id, purpose, ctx.clock.now())
  // A concurrent request that held the lock may have used this one.
  if (!used.some(({ id }) => id === link.id)) throw notFound('Link')
  return link
}

async function recordUser(
  ctx: Context,
  tx: Transaction,
  userId: string,
  source: RequestSource,
  ...events: readonly AuditEvent[]
): Promise<void> {
  const account = await accounts.findAccount(tx, userId)
  if (account !== undefined) await recordAccount(ctx, tx, account, { source }, ...events)
}
