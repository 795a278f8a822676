import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { type CallerRow, callerColumns, personOfSession } from '../accounts/queries.ts'
import { isId } from '../id.ts'
import { oldestFirst, type PageRange } from '../pagination.ts'

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
  session_created_at: Date
  session_expires_at: Date
  session_last_used_at: Date
}

/** The person behind a session's cookie, with the live membership if there is one, by the cookie's hash. */
export const findByCookie = (db: Queryable, hash: Buffer) =>
  db<SessionCallerRow[]>`
    select s.id as credential_id, s.created_at as session_created_at,
      s.expires_at as session_expires_at, s.last_used_at as session_last_used_at, ${callerColumns(db)}, u.full_name
    from sessions s
    ${personOfSession(db)}
    where s.cookie_hash = ${hash}`

/** The times between which a session is alive. */
export type Life = Readonly<{ now: Date; idleSince: Date; latest: Date }>

const isAlive = (db: Queryable, { now, idleSince, latest }: Life) =>
  db`(expires_at > ${now} and last_used_at > ${idleSince} and created_at <= ${latest})`

/**
 * Takes an account's row while its password is still the one that was checked: a change of password and a sign-in with
 * the old one come one after the other, and so do two sign-ins.
 */
export const lockPassword = (tx: Transaction, userId: string, passwordHash: string) =>
  tx`select 1 from users where id = ${userId} and password_hash = ${passwordHash} for no key update`

/**
 * Deletes a person's sessions that are over, and of the others all but the `most` newest; tells which were alive. The
 * caller holds the account's row.
 */
export const removeSurplus = (tx: Transaction, userId: string, life: Life, most: number) =>
  tx<{ id: string; was_live: boolean }[]>`
    delete from sessions where id in (
      select id from sessions
      where user_id = ${userId} and (not ${isAlive(tx, life)} or id not in (
        select id from sessions where user_id = ${userId} and ${isAlive(tx, life)}
        order by created_at desc, id desc limit ${most}
      ))
      order by created_at, id for update
    )
    returning id, ${isAlive(tx, life)} as was_live`

/** A new session. */
export type NewSession = Readonly<{
  id: string
  userId: string
  cookieHash: Buffer
  ipAddress: string | null
  userAgent: string | null
  at: Date
  expiresAt: Date
}>

/** Stores a session. */
export const insert = (tx: Transaction, session: NewSession) =>
  tx`
    insert into sessions (id, user_id, cookie_hash, ip_address, user_agent, created_at, last_used_at, expires_at)
    values (${session.id}, ${session.userId}, ${session.cookieHash}, ${session.ipAddress}, ${session.userAgent},
      ${session.at}, ${session.at}, ${session.expiresAt})`

/** Takes a session's row and notes its use; nothing when it has ended. */
export const use = (tx: Transaction, id: string, at: Date) =>
  tx<{ expires_at: Date }[]>`update sessions set last_used_at = ${at} where id = ${id} returning expires_at`

/**
 * Deletes a session's bearers that are over or expire after `latest`, and of the others all but the `most` newest. The
 * caller holds the session's row.
 */
export const removeSurplusBearers = (
  tx: Transaction,
  sessionId: string,
  at: Date,
  latest: Date,
  most: number,
) =>
  tx`
    delete from session_tokens where session_id = ${sessionId} and hash not in (
      select hash from session_tokens
      where session_id = ${sessionId} and expires_at > ${at} and expires_at <= ${latest}
      order by expires_at desc, hash limit ${most}
    )`

/** Stores a bearer under a session, whose row the caller holds. */
export const insertToken = (tx: Transaction, sessionId: string, hash: Buffer, expiresAt: Date) =>
  tx`
    insert into session_tokens (hash, session_id, expires_at) values (${hash}, ${sessionId}, ${expiresAt})`

/** Keeps a session from ending before the transaction does; nothing when it has ended. */
export const hold = (tx: Transaction, id: string) => tx`select 1 from sessions where id = ${id} for share`

/** Notes that a session was used, unless that was noted between `unless` and now. */
export const touch = (db: Queryable, id: string, at: Date, unless: Date) =>
  db`
    update sessions set last_used_at = ${at}
    where id = ${id} and (last_used_at <= ${unless} or last_used_at > ${at})`

/** A person's sessions that are not over, oldest first. */
export const list = (db: Queryable, userId: string, life: Life, window: PageRange) => db<SessionRow[]>`
    select id, ip_address, user_agent, created_at, last_used_at, expires_at from sessions
    where user_id = ${userId} and ${isAlive(db, life)}
      ${oldestFirst(db, 'sessions', window)}`

/** Deletes one session of a person, and its bearers with it; nothing for a malformed id. */
export const remove = async (tx: Transaction, userId: string, id: string): Promise<boolean> =>
  isId(id) && (await tx`delete from sessions where id = ${id} and user_id = ${userId}`).count > 0

/** Deletes all sessions of a person, and their bearers with them; in one order, so that two never wait in a circle. */
export const removeAll = (tx: Transaction, userId: string) =>
  tx`
    delete from sessions where id in (
      select id from sessions where user_id = ${userId} order by created_at, id for update
    )`
