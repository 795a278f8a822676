import type { Database, Queryable } from '../../platform/database.ts'
import type { Permissions, RoleKind } from '../permissions.ts'

type Principal = {
  principal_id: string
  principal_type: 'member' | 'service_account'
  organisation_id: string
  organisation_name: string
  role_id: string
  role_kind: RoleKind
  role_name: string
  role_permissions: Permissions | null
}

/** Whom a credential names; without a principal it is a person who belongs to no organisation. */
export type CallerRow = (Principal | { principal_id: null }) & {
  credential_id: string
  user_id: string | null
  email: string | null
  full_name: string | null
}

/** The principal behind an access token, by the token's hash. */
export const findByToken = (db: Queryable, hash: Buffer) =>
  db<(CallerRow & { expires_at: Date | null; last_used_at: Date | null })[]>`
    select t.id as credential_id, t.expires_at, t.last_used_at,
      p.id as principal_id, p.type as principal_type, o.id as organisation_id, o.name as organisation_name,
      r.id as role_id, r.kind as role_kind, r.name as role_name, r.permissions as role_permissions,
      u.id as user_id, u.email, coalesce(u.full_name, s.name) as full_name
    from tokens t
    join principals p on p.id = t.principal_id
    join roles r on r.id = p.role_id
    join organisations o on o.id = p.organisation_id
    left join members m on m.principal_id = p.id
    left join users u on u.id = m.user_id
    left join service_accounts s on s.id = p.id
    where t.hash = ${hash}`

/** The person behind a session's bearer, with the live membership if there is one. */
export const findBySessionToken = (db: Queryable, hash: Buffer) =>
  db<(CallerRow & { expires_at: Date; session_expires_at: Date; session_last_used_at: Date })[]>`
    select s.id as credential_id, b.expires_at,
      s.expires_at as session_expires_at, s.last_used_at as session_last_used_at,
      p.id as principal_id, p.type as principal_type, o.id as organisation_id, o.name as organisation_name,
      r.id as role_id, r.kind as role_kind, r.name as role_name, r.permissions as role_permissions,
      u.id as user_id, u.email, u.full_name
    from session_tokens b
    join sessions s on s.id = b.session_id
    join users u on u.id = s.user_id
    left join members m on m.user_id = u.id and m.removed_at is null
    left join principals p on p.id = m.principal_id
    left join roles r on r.id = p.role_id
    left join organisations o on o.id = p.organisation_id
    where b.hash = ${hash}`

/** Notes that a token was used, unless that was noted since `unless`. */
export const touchToken = (db: Database, id: string, at: Date, unless: Date) =>
  db`update tokens set last_used_at = ${at} where id = ${id} and (last_used_at is null or last_used_at <= ${unless})`
