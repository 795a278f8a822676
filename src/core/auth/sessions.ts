import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/database.ts'
import type { RequestOrigin } from '../actor.ts'
import { notFound, unauthenticated } from '../errors.ts'
import { byAge, type Page, type PageRequest, pageOf, windowOf } from '../pagination.ts'
import { bearerKind, hashBearer, newBearer } from '../tokens/bearer.ts'
import { transaction } from '../transactions.ts'
import { recordOf } from './account-trail.ts'
import { authenticate, callerFrom, SESSION_IDLE_SECONDS, sessionIsOver } from './authenticate.ts'
import { type Person, present, type Session, type SessionBearer } from './session.ts'
import * as queries from './session-queries.ts'

/** How long a session lasts at most, and with it its cookie. */
export const SESSION_SECONDS = 30 * 24 * 3600

const BEARER_SECONDS = 15 * 60

/** A cookie's use is written at most this often. */
const LAST_USED_SECONDS = 60

/** A session that has just begun; `cookie` is shown to the browser alone. */
export type OpenedSession = SessionBearer & Readonly<{ id: string; cookie: string }>

/**
 * Begins a session for whoever gave the right password, with an id and a cookie of its own. Null when `passwordHash`,
 * against which it was checked, is the account's no longer.
 */
export async function open(
  ctx: Context,
  userId: string,
  passwordHash: string,
  origin: RequestOrigin,
): Promise<OpenedSession | null> {
  const at = ctx.clock.now()
  const id = randomUUID()
  const cookie = newBearer('cookie')
  const accessToken = newBearer('ses')
  const bearerExpiresAt = after(at, BEARER_SECONDS)
  const session = {
    id,
    userId,
    cookieHash: hashBearer(cookie),
    bearerHash: hashBearer(accessToken),
    ipAddress: origin.ipAddress,
    userAgent: origin.userAgent,
    at,
    expiresAt: after(at, SESSION_SECONDS),
    bearerExpiresAt,
  }
  const stored = await queries.insert(ctx.db, session, passwordHash)
  if (stored.length === 0) return null
  return { id, cookie, accessToken, expiresAt: bearerExpiresAt.toISOString() }
}

/** Finds out who calls with a session's cookie, and when they signed in. 401 when it is absent, unknown or over. */
export async function authenticateCookie(
  ctx: Context,
  cookie: string | null,
  origin: RequestOrigin,
): Promise<{ caller: Person; signedInAt: Date }> {
  if (cookie === null) throw unauthenticated('Authentication credentials were not provided.')
  if (bearerKind(cookie) !== 'cookie') throw unauthenticated('Invalid session')
  const now = ctx.clock.now()
  const [row] = await queries.findByCookie(ctx.db, hashBearer(cookie))
  if (row === undefined || sessionIsOver(row, now)) throw unauthenticated()
  const unless = after(now, -LAST_USED_SECONDS)
  if (row.session_last_used_at <= unless) {
    queries.touch(ctx.db, row.credential_id, now, unless).catch(() => {
      ctx.log.warn("a session's last use could not be written")
    })
  }
  const credential = { kind: 'session', id: row.credential_id, secret: cookie } as const
  return { caller: callerFrom(row, credential, origin) as Person, signedInAt: row.created_at }
}

/** Finds out who calls with a session's bearer; 401 for every other kind of token. */
export async function authenticateBearer(
  ctx: Context,
  header: string | null,
  origin: RequestOrigin,
): Promise<Person> {
  const caller = await authenticate(ctx, header, origin)
  if (caller.credential.kind !== 'session')
    throw unauthenticated('This takes a sign-in session, not a token.')
  return caller as Person
}

/** Another bearer under the caller's session. */
export async function issueBearer(ctx: Context, caller: Person): Promise<SessionBearer> {
  const at = ctx.clock.now()
  const accessToken = newBearer('ses')
  const expiresAt = after(at, BEARER_SECONDS)
  const [stored] = await queries.insertBearer(
    ctx.db,
    caller.credential.id,
    hashBearer(accessToken),
    expiresAt,
    at,
  )
  if (stored === undefined) throw unauthenticated()
  return { accessToken, expiresAt: stored.expires_at.toISOString() }
}

/** The caller's own sessions, oldest first. */
export async function list(ctx: Context, caller: Person, request: PageRequest): Promise<Page<Session>> {
  const window = windowOf(ctx, 'sessions', request)
  const now = ctx.clock.now()
  const idleSince = after(now, -SESSION_IDLE_SECONDS)
  const rows = await queries.list(ctx.db, caller.userId, now, idleSince, window)
  return pageOf(ctx, 'sessions', window, rows, byAge, (row) => present(row, caller.credential.id))
}

/** Ends one of the caller's own sessions, and with it its bearers; 404 for any other, or when it is gone already. */
export const end = (ctx: Context, caller: Person, id: string): Promise<void> =>
  transaction(ctx, async (tx) => {
    if (!(await queries.remove(tx, caller.userId, id))) throw notFound('Session')
    await recordOf(ctx, tx, caller, {
      eventType: 'session.ended',
      resourceType: 'session',
      resourceId: id,
      description: id === caller.credential.id ? 'Signed out.' : 'Session ended from another one.',
    })
  })

/** Ends every session of a person, and with them their bearers: a removal, or a new password. */
export async function endAll(tx: Transaction, userId: string): Promise<void> {
  await queries.removeAll(tx, userId)
}

const after = (instant: Date, seconds: number): Date => new Date(instant.getTime() + seconds * 1000)
