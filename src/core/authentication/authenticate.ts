import type { Context } from '../../context.ts'
import * as queries from '../accounts/queries.ts'
import type { Caller, Credential, RequestOrigin } from '../actor.ts'
import { latestNow } from '../clock-skew.ts'
import { unauthenticated } from '../errors.ts'
import { permissionsOf } from '../permissions.ts'
import { hashToken, tokenKind } from '../tokens/token-text.ts'

/** How long a session may lie idle before it is over. */
export const SESSION_IDLE_SECONDS = 7 * 24 * 3600

/** How long a session's bearer is good. */
export const BEARER_SECONDS = 15 * 60

/** The last use of a token or session is written at most this often. */
export const LAST_USED_SECONDS = 60

/**
 * Finds out who calls, from the value of the Authorization header, in one query. 401 when there is none, when it is
 * malformed, or when the token is unknown, expired, revoked or of somebody who was removed.
 */
export async function authenticate(
  ctx: Context,
  header: string | null,
  origin: RequestOrigin,
): Promise<Caller> {
  if (header === null || header.trim() === '')
    throw unauthenticated('Authentication credentials were not provided.')
  const secret = /^Bearer +(?:(?:User|ServiceAccount) +)?(\S+) *$/i.exec(header)?.[1]
  const kind = secret === undefined ? null : tokenKind(secret)
  if (secret === undefined || kind === null || kind === 'cookie') throw unauthenticated('Invalid token')
  return kind === 'ses' ? bySessionToken(ctx, secret, origin) : byToken(ctx, secret, origin)
}

async function byToken(ctx: Context, text: string, origin: RequestOrigin): Promise<Caller> {
  const now = ctx.clock.now()
  const [row] = await queries.findByToken(ctx.db, hashToken(text))
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) throw unauthenticated()
  if (row.last_used_at === null || needsTouch(row.last_used_at, now)) {
    queries
      .touchToken(ctx.db, row.credential_id, now, new Date(now.getTime() - LAST_USED_SECONDS * 1000))
      .catch(() => {
        ctx.log.warn("a token's last use could not be written")
      })
  }
  return callerFrom(row, { kind: 'token', id: row.credential_id, text }, origin)
}

async function bySessionToken(ctx: Context, text: string, origin: RequestOrigin): Promise<Caller> {
  const now = ctx.clock.now()
  const [row] = await queries.findBySessionToken(ctx.db, hashToken(text))
  if (row === undefined || isSessionTokenExpired(row, now) || isSessionExpired(row, now))
    throw unauthenticated()
  return callerFrom(row, { kind: 'session', id: row.credential_id, text }, origin)
}

/** Whether a session has ended by itself: 30 days after sign-in, or after 7 days without use; or begins in the future. */
export const isSessionExpired = (
  session: { session_created_at: Date; session_expires_at: Date; session_last_used_at: Date },
  now: Date,
): boolean =>
  session.session_expires_at <= now ||
  session.session_created_at > latestNow(now) ||
  session.session_last_used_at.getTime() + SESSION_IDLE_SECONDS * 1000 <= now.getTime()

/** Whether a last use is to be written anew: it is a while ago, or lies in the future since the clock was set back. */
export const needsTouch = (lastUsedAt: Date, now: Date): boolean =>
  Math.abs(now.getTime() - lastUsedAt.getTime()) >= LAST_USED_SECONDS * 1000

/** Whoever a row of the look-ups names: an actor when it stands for a live principal, an outsider otherwise. */
export function callerFrom(row: queries.CallerRow, credential: Credential, origin: RequestOrigin): Caller {
  if (row.principal_id === null) {
    const { user_id, email, full_name } = row as queries.CallerRow & { user_id: string; email: string }
    return { type: 'user', id: null, userId: user_id, name: full_name ?? '', email, credential, origin }
  }
  const { principal_id, organisation_id, role_kind } = row
  return {
    type: row.principal_type === 'member' ? 'user' : 'service_account',
    id: principal_id,
    userId: row.user_id,
    name: row.full_name ?? '',
    email: row.email,
    organisation: { id: organisation_id },
    role: {
      id: row.role_id,
      kind: role_kind,
      name: row.role_name,
      permissions: permissionsOf(role_kind, row.role_permissions),
    },
    credential,
    origin,
  }
}

const isSessionTokenExpired = ({ expires_at }: { expires_at: Date }, now: Date): boolean =>
  expires_at <= now || expires_at.getTime() > latestNow(now).getTime() + BEARER_SECONDS * 1000
