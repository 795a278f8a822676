import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { isId } from '../id.ts'
import { oldestFirst, type PageRange } from '../pagination.ts'
import type { Row } from '../tables.ts'
import type { ActiveTimes } from './lifetime.ts'

/** A session as it is stored, without the hash of its cookie. */
export type SessionRow = Readonly<
  Row<'sessions', 'id' | 'ip_address' | 'user_agent' | 'created_at' | 'last_used_at' | 'expires_at'>
>

const isActive = (db: Queryable, { now, idleSince, latest }: ActiveTimes) =>
  db`(expires_at > ${now} and last_used_at > ${idleSince} and created_at <= ${latest})`

/**
 * Locks an account unless its password was changed since it was checked. So no session of an old password survives, and
 * sign-ins to one account come one after the other.
 */
export const lockPassword = (tx: Transaction, userId: string, passwordHash: string) =>
  tx`select 1 from users where id = ${userId} and password_hash = ${passwordHash} for no key update`

/** Locks an account, so that sign-ins to it come one after the other. */
export const lockUser = (tx: Transaction, userId: string) =>
  tx`select 1 from users where id = ${userId} for no key update`

/** Keeps a user's identity from being unlinked until the transaction ends; no row when it is. */
export const lockIdentity = (tx: Transaction, userId: string, id: string) =>
  tx`select 1 from sso_identities where id = ${id} and user_id = ${userId} for share`

/** Whether a passkey is still the account's. */
export const findPasskey = (tx: Transaction, userId: string, id: string) =>
  tx`select 1 from passkeys where id = ${id} and user_id = ${userId}`

/**
 * Deletes a user's expired sessions, and of the active ones all but the `most` newest; tells which were active.
 * Requires the lock of the account.
 */
export const removeSurplus = (tx: Transaction, userId: string, times: ActiveTimes, most: number) =>
  tx<{ id: string; was_active: boolean }[]>`
    delete from sessions where id in (
      select id from sessions
      where user_id = ${userId} and (not ${isActive(tx, times)} or id not in (
        select id from sessions where user_id = ${userId} and ${isActive(tx, times)}
        order by created_at desc, id desc limit ${most}
      ))
      order by created_at, id for update
    )
    returning id, ${isActive(tx, times)} as was_active`

/** A new session. */
export type NewSession = Readonly<{
  id: string
  userId: string
  cookieHash: Buffer
  method: Row<'sessions', 'method'>['method']
  ipAddress: string | null
  userAgent: string | null
  at: Date
  expiresAt: Date
}>

/** Stores a session. */
export const insert = (tx: Transaction, session: NewSession) =>
  tx`
    insert into sessions (id, user_id, cookie_hash, method, ip_address, user_agent, created_at, last_used_at, expires_at)
    values (${session.id}, ${session.userId}, ${session.cookieHash}, ${session.method}, ${session.ipAddress},
      ${session.userAgent}, ${session.at}, ${session.at}, ${session.expiresAt})`

/** Locks a session and writes that it was used; no row when it has ended. */
export const lockAndMarkUsed = (tx: Transaction, id: string, at: Date) =>
  tx<{ expires_at: Date }[]>`update sessions set last_used_at = ${at} where id = ${id} returning expires_at`

/**
 * Deletes a session's tokens that have expired or expire after `latest`, and of the others all but the `most` newest.
 * Requires the lock of the session.
 */
export const removeSurplusTokens = (
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

/** Stores a session token. Requires the lock of the session. */
export const insertToken = (tx: Transaction, sessionId: string, hash: Buffer, expiresAt: Date) =>
  tx`
    insert into session_tokens (hash, session_id, expires_at) values (${hash}, ${sessionId}, ${expiresAt})`

/**
 * Keeps a session from being ended until the transaction ends; no row when it has ended. Not shared: whoever ends it would
 * wait on and on while others come later and share it, too.
 */
export const lock = (tx: Transaction, id: string) =>
  tx`select 1 from sessions where id = ${id} for no key update`

/** A user's active sessions, oldest first. */
export const list = (db: Queryable, userId: string, times: ActiveTimes, range: PageRange) => db<SessionRow[]>`
    select id, ip_address, user_agent, created_at, last_used_at, expires_at from sessions
    where user_id = ${userId} and ${isActive(db, times)}
      ${oldestFirst(db, 'sessions', range)}`

/** Deletes one session of a user, and its tokens with it; false when there is none, or the id is malformed. */
export const remove = async (tx: Transaction, userId: string, id: string): Promise<boolean> =>
  isId(id) && (await tx`delete from sessions where id = ${id} and user_id = ${userId}`).count > 0

/** Deletes all sessions of a user, and their tokens with them. In one order: two deletions can't deadlock. */
export const removeAll = (tx: Transaction, userId: string) =>
  tx`
    delete from sessions where id in (
      select id from sessions where user_id = ${userId} order by created_at, id for update
    )`
