import type { Queryable } from '../../platform/postgres/database.ts'
import type { Permissions, RoleKind } from '../permissions.ts'
import type { Row } from '../tables.ts'

type Principal = {
  principal_id: string
  principal_type: 'member' | 'service_account'
  organisation_id: string
  role_id: string
  role_kind: RoleKind
  role_name: string
  role_permissions: Permissions | null
}

/**
 * The caller that a credential names; without a principal it is a user without a membership. Access tokens say whose share
 * it has. When a member was last seen is mutable, where the row is remembered.
 */
export type CallerRow = (Principal | { principal_id: null }) & {
  last_seen_at: Date | null
  credential_id: string
  user_id: string | null
  email: string | null
  full_name: string | null
  responsible_id?: string
  branch_id?: string
  share_of: string | null
}

/**
 * The user of a session, the times that decide whether the session has expired, and what decides whether it lacks a
 * required second factor.
 */
export type SessionCallerRow = CallerRow & {
  session_created_at: Date
  session_expires_at: Date
  session_last_used_at: Date
  session_method: Row<'sessions', 'method'>['method']
  has_factor: boolean
}

/** The principal of an access token; its last use is mutable, where the row is remembered. */
export type TokenCallerRow = CallerRow & Row<'tokens', 'expires_at'> & { last_used_at: Date | null }

/** The user of a session token. */
export type SessionTokenCallerRow = SessionCallerRow & Row<'session_tokens', 'expires_at'>

const callerColumns = (db: Queryable) => db`
  p.id as principal_id, p.type as principal_type, p.organisation_id,
  r.id as role_id, r.kind as role_kind, r.name as role_name, r.permissions as role_permissions,
  u.id as user_id, u.email, nullif(m.last_seen_at, '-infinity') as last_seen_at`

const sessionColumns = (db: Queryable, asksForFactor: boolean) => db`
  s.id as credential_id, s.created_at as session_created_at, s.expires_at as session_expires_at,
  s.last_used_at as session_last_used_at, s.method as session_method,
  ${asksForFactor ? hasFactor(db) : db`true`} as has_factor, ${callerColumns(db)}, u.full_name, m.share_of`

const hasFactor = (db: Queryable) => db`
  (exists (select 1 from passkeys k where k.user_id = u.id)
    or exists (select 1 from totp_secrets k where k.user_id = u.id and k.confirmed_at is not null))`

/** The user of session `s`, with principal and role where there is an active membership. */
const userOfSession = (db: Queryable) => db`
  join users u on u.id = s.user_id
  left join members m on m.user_id = u.id and m.removed_at is null
  left join principals p on p.id = m.principal_id
  left join roles r on r.id = p.role_id`

/** The principal of an access token, by the token's hash. */
export const findByToken = (db: Queryable, hash: Buffer) =>
  db<TokenCallerRow[]>`
    select t.id as credential_id, t.expires_at, t.last_used_at, ${callerColumns(db)},
      coalesce(t.responsible_id, t.created_by, p.id) as responsible_id, coalesce(t.branch_id, p.id) as branch_id,
      coalesce(u.full_name, (select a.name from service_accounts a where a.id = p.id)) as full_name,
      (select s.share_of from members s
        where s.principal_id = coalesce(t.responsible_id, t.created_by, p.id)) as share_of
    from tokens t
    join principals p on p.id = t.principal_id
    join roles r on r.id = p.role_id
    left join members m on m.principal_id = p.id
    left join users u on u.id = m.user_id
    where t.hash = ${hash}`

/** The user of a session token, by the token's hash. Looks for factors only if asked to. */
export const findBySessionToken = (db: Queryable, hash: Buffer, asksForFactor: boolean) =>
  db<SessionTokenCallerRow[]>`
    select b.expires_at, ${sessionColumns(db, asksForFactor)}
    from session_tokens b
    join sessions s on s.id = b.session_id
    ${userOfSession(db)}
    where b.hash = ${hash}`

/** The user of a session cookie, by the cookie's hash. Looks for factors only if asked to. */
export const findByCookie = (db: Queryable, hash: Buffer, asksForFactor: boolean) =>
  db<SessionCallerRow[]>`
    select ${sessionColumns(db, asksForFactor)}
    from sessions s
    ${userOfSession(db)}
    where s.cookie_hash = ${hash}`

/**
 * Writes that a token was used, unless a use between `unlessUsedSince` and now is written already, or somebody has locked
 * its row. Gives the last use as it is stored then.
 */
export const markTokenUsed = (db: Queryable, id: string, at: Date, unlessUsedSince: Date) =>
  db<{ last_used_at: Date | null }[]>`
    with marked as (
      update tokens set last_used_at = ${at}
      where id = (
        select id from tokens
        where id = ${id} and (last_used_at is null or last_used_at <= ${unlessUsedSince} or last_used_at > ${at})
        for no key update skip locked)
      returning last_used_at)
    select last_used_at from marked
    union all select last_used_at from tokens where id = ${id} and not exists (select 1 from marked)`

/** Writes that a session was used, as `markTokenUsed` does of a token. */
export const markSessionUsed = (db: Queryable, id: string, at: Date, unlessUsedSince: Date) =>
  db<{ last_used_at: Date | null }[]>`
    with marked as (
      update sessions set last_used_at = ${at}
      where id = (
        select id from sessions
        where id = ${id} and (last_used_at <= ${unlessUsedSince} or last_used_at > ${at})
        for no key update skip locked)
      returning last_used_at)
    select last_used_at from marked
    union all select last_used_at from sessions where id = ${id} and not exists (select 1 from marked)`

/** Writes that a member was seen, as `markTokenUsed` does of a token. */
export const markMemberSeen = (db: Queryable, id: string, at: Date, unlessSeenSince: Date) =>
  db<{ last_used_at: Date | null }[]>`
    with marked as (
      update members set last_seen_at = ${at}
      where id = (
        select id from members
        where id = ${id} and (last_seen_at <= ${unlessSeenSince} or last_seen_at > ${at})
        for no key update skip locked)
      returning last_seen_at)
    select last_seen_at as last_used_at from marked
    union all
    select nullif(last_seen_at, '-infinity') from members where id = ${id} and not exists (select 1 from marked)`
