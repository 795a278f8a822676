import { randomBytes, randomUUID } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { auditActorOf, emailKey, NewPassword, passwordEvent, RevokeTokens } from '../accounts/account.ts'
import { findAccountOf } from '../accounts/queries.ts'
import type { RequestOrigin } from '../actor.ts'
import { recordAs } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/events.ts'
import { latestNow } from '../clock-skew.ts'
import { notFound } from '../errors.ts'
import { Email, Id, StrictObject } from '../schema.ts'
import * as sessions from '../sessions/sessions.ts'
import { deviceCookie } from '../sign-in/devices.ts'
import { countMailRequest } from '../sign-in/sign-in-limits.ts'
import { revokeAllOf } from '../tokens/tokens.ts'
import { transaction } from '../transactions.ts'
import { isLinkOf, linkRowId } from './link.ts'
import * as queries from './queries.ts'

/** How long each link is good. */
export const EMAIL_LINK_SECONDS = { 'verify-email': 24 * 3600, 'reset-password': 3600 } as const

/** An address asks for one mail within this time, and can have so many live links: nobody's mailbox is flooded. */
const PAUSE_SECONDS = 60
const MOST_LIVE = 5

/** Longer than the few statements of asking take. */
const ANSWER_MS = 50

/** The body that asks for a link. */
export const RequestLink = StrictObject({ email: Email() })
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

/** Has a link mailed that sets a new password, if an account has this address and there is a mail gateway. */
export const forgotPassword = (ctx: Context, email: string, origin: RequestOrigin): Promise<void> =>
  requestLink(ctx, email, origin, (tx, user) => createLink(ctx, tx, user.id, 'reset-password'))

/** Has the link mailed again that proves an address, if an account awaits it and there is a mail gateway. */
export const resendVerification = (ctx: Context, email: string, origin: RequestOrigin): Promise<void> =>
  requestLink(ctx, email, origin, async (tx, user) => {
    if (user.email_verified_at === null) await createLink(ctx, tx, user.id, 'verify-email')
  })

/** Has the link mailed that proves a new account's address, in the transaction of its registration. */
export const sendVerification = (ctx: Context, tx: Transaction, userId: string): Promise<void> =>
  createLink(ctx, tx, userId, 'verify-email')

/** Follows the link that proves an account's address. 404 when it is unknown, used or expired. */
export async function verifyEmail(ctx: Context, token: string, origin: RequestOrigin): Promise<void> {
  // Before a transaction is begun: a guess costs one look-up.
  await linkOf(ctx, ctx.db, token, 'verify-email')
  await transaction(ctx, async (tx) => {
    const userId = await useLink(ctx, tx, token, 'verify-email')
    const verified = await queries.verifyAddress(tx, userId, ctx.clock.now())
    if (verified.count === 0) return
    await recordOwn(ctx, tx, userId, origin, {
      eventType: 'user.email_verified',
      resourceId: userId,
      description: 'E-mail address verified.',
    })
  })
}

/**
 * Follows the link that sets a new password: it proves the address too, and ends every session and every other such
 * link, and if asked to the account's personal access tokens. 404 when it is unknown, used or expired. Gives the device
 * cookie of the browser that did it; those of before are void.
 */
export async function resetPassword(
  ctx: Context,
  input: ResetPassword,
  origin: RequestOrigin,
  deviceCookies: readonly string[],
): Promise<{ deviceCookie: string }> {
  // Before the work of hashing, which nobody without a link may cause.
  await linkOf(ctx, ctx.db, input.token, 'reset-password')
  const passwordHash = await ctx.passwords.hash(input.new_password)
  return transaction(ctx, async (tx) => {
    const userId = await useLink(ctx, tx, input.token, 'reset-password')
    const now = ctx.clock.now()
    await queries.setPassword(tx, userId, passwordHash, now)
    await queries.verifyAddress(tx, userId, now)
    await sessions.endAll(tx, userId)
    const record = (event: AuditEvent) => recordOwn(ctx, tx, userId, origin, event)
    const revoked = input.revoke_tokens ? await revokeAllOf(tx, userId, record) : null
    await record({
      eventType: 'user.password_reset',
      resourceId: userId,
      ...passwordEvent('Password set with a link sent by mail', revoked),
    })
    const account = { user_id: userId, password_hash: passwordHash }
    return { deviceCookie: deviceCookie(ctx, account, deviceCookies) }
  })
}

/** Voids the links that would set an account's password: the owner has just set another one. */
export async function revokePasswordLinks(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  await queries.markAllUsed(tx, userId, 'reset-password', ctx.clock.now())
}

type Asking = { id: string; email_verified_at: Date | null }

/** Answers no sooner than after a fixed time: whether anything was enqueued must not be told by a stopwatch. */
async function requestLink(
  ctx: Context,
  email: string,
  origin: RequestOrigin,
  answer: (tx: Transaction, user: Asking) => Promise<void>,
): Promise<void> {
  if (ctx.config.smtp === null) return
  await countMailRequest(ctx, origin.ipAddress)
  const noSooner = new Promise((resolve) => setTimeout(resolve, ANSWER_MS))
  await transaction(ctx, async (tx) => {
    const [user] = await queries.lockAddress(tx, emailKey(email))
    if (user !== undefined) await answer(tx, user)
  })
  await ctx.queue.wake()
  await noSooner
}

/** The caller holds the user's row, or has just inserted it. */
async function createLink(
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
    recentAt: after(-PAUSE_SECONDS),
    latest: latestNow(at),
    most: MOST_LIVE,
  })
  if (link === undefined) return
  const job = purpose === 'verify-email' ? 'send-verification' : 'send-password-reset'
  await ctx.queue.send(tx, job, { linkId: link.id })
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

/** Uses up a link and every other one of its account and purpose; gives the account. */
async function useLink(
  ctx: Context,
  tx: Transaction,
  token: string,
  purpose: queries.EmailLinkPurpose,
): Promise<string> {
  const link = await linkOf(ctx, tx, token, purpose)
  await queries.lockUser(tx, link.user_id)
  const closed = await queries.markAllUsed(tx, link.user_id, purpose, ctx.clock.now())
  // Whoever held the account's row may have used this one.
  if (!closed.some(({ id }) => id === link.id)) throw notFound('Link')
  return link.user_id
}

async function recordOwn(
  ctx: Context,
  tx: Transaction,
  userId: string,
  origin: RequestOrigin,
  event: AuditEvent,
): Promise<void> {
  const [account] = await findAccountOf(tx, userId)
  const organisationId = account?.deployment_organisation_id ?? null
  if (account === undefined || organisationId === null) return
  await recordAs(ctx, tx, auditActorOf(account, null, origin), organisationId, event)
}
