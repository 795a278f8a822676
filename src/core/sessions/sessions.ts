import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { type AccountRow, auditActorOf } from '../accounts/account.ts'
import { recordCaller } from '../accounts/account-audit.ts'
import type { Caller, RequestOrigin } from '../actor.ts'
import { recordAs } from '../audit/audit.ts'
import {
  authenticate,
  BEARER_SECONDS,
  callerFrom,
  isSessionExpired,
  LAST_USED_SECONDS,
  needsTouch,
  SESSION_IDLE_SECONDS,
} from '../authentication/authenticate.ts'
import { latestNow } from '../clock-skew.ts'
import { notFound, unauthenticated } from '../errors.ts'
import { creationOrder, type Page, type PageRequest, pageRange, toPage } from '../pagination.ts'
import { hashToken, newToken, tokenKind } from '../tokens/token-text.ts'
import { transaction } from '../transactions.ts'
import * as queries from './queries.ts'
import { present, type Session, type SessionToken, type SignedInUser } from './session.ts'

/** How long a session lasts at most, and with it its cookie. */
export const SESSION_SECONDS = 30 * 24 * 3600

/** A person has at most so many sessions, and a session so many bearers, one for each open page. */
const MOST_SESSIONS = 50
const MOST_BEARERS = 50

/** A session that has just begun; `cookie` is shown to the browser alone. */
export type OpenedSession = SessionToken & Readonly<{ id: string; cookie: string }>

/**
 * Begins a session for whoever gave the right password, with an id and a cookie of its own; beyond 50 of the account the
 * oldest ends. Null when `passwordHash`, against which it was checked, is the account's no longer.
 */
export const open = (
  ctx: Context,
  account: AccountRow,
  passwordHash: string,
  origin: RequestOrigin,
): Promise<OpenedSession | null> =>
  transaction(ctx, async (tx) => {
    const at = ctx.clock.now()
    const { user_id: userId } = account
    if ((await queries.lockPassword(tx, userId, passwordHash)).length === 0) return null
    const ended = await queries.removeSurplus(tx, userId, lifeAt(at), MOST_SESSIONS - 1)
    const id = randomUUID()
    const cookie = newToken('cookie')
    await queries.insert(tx, {
      id,
      userId,
      cookieHash: hashToken(cookie),
      ipAddress: origin.ipAddress,
      userAgent: origin.userAgent,
      at,
      expiresAt: after(at, SESSION_SECONDS),
    })
    await recordSurplus(ctx, tx, account, { id, origin }, ended)
    const accessToken = newToken('ses')
    const expiresAt = after(at, BEARER_SECONDS)
    await queries.insertToken(tx, id, hashToken(accessToken), expiresAt)
    return { id, cookie, accessToken, expiresAt: expiresAt.toISOString() }
  })

/** Finds out who calls with a session's cookie, and when they signed in. 401 when it is absent, unknown or over. */
export async function authenticateCookie(
  ctx: Context,
  cookie: string | null,
  origin: RequestOrigin,
): Promise<{ caller: SignedInUser; signedInAt: Date }> {
  if (cookie === null) throw unauthenticated('Authentication credentials were not provided.')
  if (tokenKind(cookie) !== 'cookie') throw unauthenticated('Invalid session')
  const now = ctx.clock.now()
  const [row] = await queries.findByCookie(ctx.db, hashToken(cookie))
  if (row === undefined || isSessionExpired(row, now)) throw unauthenticated()
  if (needsTouch(row.session_last_used_at, now)) {
    queries.touch(ctx.db, row.credential_id, now, after(now, -LAST_USED_SECONDS)).catch(() => {
      ctx.log.warn("a session's last use could not be written")
    })
  }
  const credential = { kind: 'session', id: row.credential_id, text: cookie } as const
  return { caller: callerFrom(row, credential, origin) as SignedInUser, signedInAt: row.session_created_at }
}

/** Finds out who calls with a session's bearer; 401 for every other kind of token. */
export async function authenticateSessionToken(
  ctx: Context,
  header: string | null,
  origin: RequestOrigin,
): Promise<SignedInUser> {
  const caller = await authenticate(ctx, header, origin)
  if (caller.credential.kind !== 'session')
    throw unauthenticated('This takes a sign-in session, not a token.')
  return caller as SignedInUser
}

/** Another bearer under the caller's session, which keeps its newest 50. */
export const issueToken = (ctx: Context, caller: SignedInUser): Promise<SessionToken> =>
  transaction(ctx, async (tx) => {
    const at = ctx.clock.now()
    const { id } = caller.credential
    const [session] = await queries.use(tx, id, at)
    if (session === undefined) throw unauthenticated()
    const expiresAt = new Date(Math.min(session.expires_at.getTime(), after(at, BEARER_SECONDS).getTime()))
    await queries.removeSurplusBearers(tx, id, at, after(latestNow(at), BEARER_SECONDS), MOST_BEARERS - 1)
    const accessToken = newToken('ses')
    await queries.insertToken(tx, id, hashToken(accessToken), expiresAt)
    return { accessToken, expiresAt: expiresAt.toISOString() }
  })

/**
 * Takes hold of the caller's session until the end of the transaction; 401 when it has ended. What a session makes that
 * outlives it is then made before whatever ends the session, or not at all.
 */
export async function hold(tx: Transaction, caller: Caller): Promise<void> {
  if ((await queries.hold(tx, caller.credential.id)).length === 0) throw unauthenticated()
}

/** The caller's own sessions, oldest first. */
export async function list(ctx: Context, caller: SignedInUser, request: PageRequest): Promise<Page<Session>> {
  const window = pageRange(ctx, 'sessions', request)
  const rows = await queries.list(ctx.db, caller.userId, lifeAt(ctx.clock.now()), window)
  return toPage(ctx, 'sessions', window, rows, creationOrder, (row) => present(row, caller.credential.id))
}

/** Ends one of the caller's own sessions, and with it its bearers; 404 for any other, or when it is gone already. */
export const end = (ctx: Context, caller: SignedInUser, id: string): Promise<void> =>
  transaction(ctx, async (tx) => {
    if (!(await queries.remove(tx, caller.userId, id))) throw notFound('Session')
    await recordCaller(ctx, tx, caller, {
      eventType: 'session.ended',
      resourceId: id,
      description: id === caller.credential.id ? 'Signed out.' : 'Session ended from another one.',
    })
  })

/** Ends every session of a person, and with them their bearers: a removal, or a new password. */
export async function endAll(tx: Transaction, userId: string): Promise<void> {
  await queries.removeAll(tx, userId)
}

/** Someone who signs in again and again must not wonder where the other sessions went. */
async function recordSurplus(
  ctx: Context,
  tx: Transaction,
  account: AccountRow,
  session: Readonly<{ id: string; origin: RequestOrigin }>,
  ended: readonly { id: string; was_live: boolean }[],
): Promise<void> {
  const [first, ...others] = ended.filter(({ was_live }) => was_live)
  const organisationId = account.deployment_organisation_id
  if (first === undefined || organisationId === null) return
  const credential = { kind: 'session', id: session.id, text: '' } as const
  const more = others.length === 0 ? '' : `, and ${others.length} more with it`
  await recordAs(ctx, tx, auditActorOf(account, credential, session.origin), organisationId, {
    eventType: 'session.ended',
    resourceId: first.id,
    description: `Session ended${more}: the account has ${MOST_SESSIONS} newer ones.`,
  })
}

/** Which sessions are alive at a time: those begun until `latest`, used after `idleSince`, and not expired. */
const lifeAt = (now: Date): queries.Life => ({
  now,
  idleSince: after(now, -SESSION_IDLE_SECONDS),
  latest: latestNow(now),
})

const after = (instant: Date, seconds: number): Date => new Date(instant.getTime() + seconds * 1000)
