import { latestNow } from '../clock-skew.ts'
import type { Row } from '../tables.ts'

/** How long a session and its cookie last at most. */
export const SESSION_SECONDS = 30 * 24 * 3600

/** How long a session lasts without being used. */
export const SESSION_IDLE_SECONDS = 7 * 24 * 3600

/** How long a session token lasts. */
export const SESSION_TOKEN_SECONDS = 15 * 60

/** The times between which a session is active: begun until `latest`, used after `idleSince`, not expired at `now`. */
export type ActiveTimes = Readonly<{ now: Date; idleSince: Date; latest: Date }>

/** Which sessions are active at a time. One that begins later than clock skew explains is not. */
export const activeTimes = (now: Date): ActiveTimes => ({
  now,
  idleSince: after(now, -SESSION_IDLE_SECONDS),
  latest: latestNow(now),
})

/** Whether a session is not active: 30 days after sign-in, after 7 days without use, or when it begins in the future. */
export function isSessionExpired(
  session: Row<'sessions', 'created_at' | 'expires_at' | 'last_used_at'>,
  at: Date,
): boolean {
  const { now, idleSince, latest } = activeTimes(at)
  return session.expires_at <= now || session.created_at > latest || session.last_used_at <= idleSince
}

/** Whether a session token has expired, or ends later than one of now could. */
export const isSessionTokenExpired = (token: Row<'session_tokens', 'expires_at'>, now: Date): boolean =>
  token.expires_at <= now || token.expires_at > after(latestNow(now), SESSION_TOKEN_SECONDS)

/** The instant so many seconds later. */
export const after = (instant: Date, seconds: number): Date => new Date(instant.getTime() + seconds * 1000)
