import type { Config } from '../config.ts'
import { SESSION_SECONDS } from '../core/auth/sessions.ts'

type Origin = Pick<Config, 'origin'>

const isSecure = ({ origin }: Origin): boolean => origin.startsWith('https:')

const cookieName = (config: Origin): string => `${isSecure(config) ? '__Host-' : ''}keyward_session`

/** The session's cookie in a request; null when there is none. */
export function readSessionCookie(config: Origin, request: Request): string | null {
  const start = `${cookieName(config)}=`
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) ?? null
}

/** The header that gives the browser a session's cookie. */
export const sessionCookie = (config: Origin, value: string): string => header(config, value, SESSION_SECONDS)

/** The header that takes the session's cookie from the browser. */
export const endedSessionCookie = (config: Origin): string => header(config, '', 0)

const header = (config: Origin, value: string, maxAgeSeconds: number): string =>
  `${cookieName(config)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure(config) ? '; Secure' : ''}`
