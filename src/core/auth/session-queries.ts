import type { Queryable, Transaction } from '../../platform/database.ts'
import { oldestFirst, type Window } from '../pagination.ts'
import { isId } from '../schema.ts'
import { type CallerRow, callerColumns, personOfSession } from './queries.ts'

/** A sign-in as it is stored. */
export type SessionRow = Readonly<{
  id: string
  ip_address: string | null
  user_agent: string | null
  created_at: Date
  last_used_at: Date
  expires_at: Date
}>

/** Whom a cookie or bearer of a session names, and how old the session is. */
export type SessionCallerRow = CallerRow & {
  created_at: Date
  session_expires_at: Date
  session_last_used_at: Date
}

/** The person behind a session's cookie, with the live membership if there is one, by the cookie's hash. */
export const findByCookie = (db: Queryable, hash: Buffer) =>
  db<SessionCallerRow[]>`
    select s.id as credential_id, s.created_at,
      s.expires_at as session_expires_at, s.last_used_at as session_last_used_at, ${callerColumns(db)}, u.full_name
    from sessions s
    ${personOfSession(db)}
    where s.cookie_hash = ${hash}`

/** A new session, and the first bearer under it. */
export type NewSession = Readonly<{
  id: string
  userId: string
  cookieHash: Buffer
  bearerHash: Buffer
  ipAddress: string | null
  userAgent: string | null
  at: Date
  expiresAt: Date
  bearerExpiresAt: Date
}>

/**
 * Stores a session with its first bearer, unless the password that was checked is the account's no longer: a change of
 * password and a sign-in with the old one come one after the other, and no session of the old one is left.
 */
export const insert = (db: Queryable, session: NewSession, passwordHash: string) =>
  db`
    with account as (
      select id from users where id = ${session.userId} and password_hash = ${passwordHash} for share
    ), session as (
      insert into sessions (id, user_id, cookie_hash, ip_address, user_agent, created_at, last_used_at, expires_at)
      select ${session.id}, id, ${session.cookieHash}, ${session.ipAddress}, ${session.userAgent},
        ${session.at}, ${session.at}, ${session.expiresAt}
      from account
      returning id
    )
    insert into session_tokens (hash, session_id, expires_at)
    select ${session.bearerHash}, id, ${session.bearerExpiresAt} from session
    returning session_id`

/**
 * Stores another bearer under a session that still exists, and that it never outlives; notes the session's use, and
 * forgets its bearers that are over.
 */
export const insertBearer = (db: Queryable, sessionId: string, hash: Buffer, expiresAt: Date, at: Date) =>
  db<{ expires_at: Date }[]>`
    with session as (
      update sessions set last_used_at = ${at} where id = ${sessionId} returning id, expires_at
    ), forgotten as (
      delete from session_tokens where session_id = ${sessionId} and expires_at <= ${at}
    )
    insert into session_tokens (hash, session_id, expires_at)
    select ${hash}, id, least(expires_at, ${expiresAt}) from session
    returning expires_at`

/** Notes that a session was used, unless that was noted since `unless`. */
export const touch = (db: Queryable, id: string, at: Date, unless: Date) =>
  db`update sessions set last_used_at = ${at} where id = ${id} and last_used_at <= ${unless}`

/** A person's sessions that are not over, oldest first; `idleSince` is when the unused ones ended. */
export const list = (db: Queryable, userId: string, now: Date, idleSince: Date, window: Window) => db<
  SessionRow[]
>`
    select id, ip_address, user_agent, created_at, last_used_at, expires_at from sessions
    where user_id = ${userId} and expires_at > ${now} and last_used_at > ${idleSince}
      ${oldestFirst(db, 'sessions', window)}`

/** Deletes one session of a person, and its bearers with it; nothing for a malformed id. */
export const remove = async (tx: Transaction, userId: string, id: string): Promise<boolean> =>
  isId(id) && (await tx`delete from sessions where id = ${id} and user_id = ${userId}`).count > 0

/** Deletes all sessions of a person, and their bearers with them. */
export const removeAll = (tx: Transaction, userId: string) =>
  tx`delete from sessions where user_id = ${userId}`
