import type { Database, Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Permissions, RoleKind } from '../permissions.ts'
import type { AccountRow } from './account.ts'

type Principal = {
  principal_id: string
  principal_type: 'member' | 'service_account'
  organisation_id: string
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

/** What a look-up of a caller reads of principal `p`, role `r` and user `u`. */
export const callerColumns = (db: Queryable) => db`
  p.id as principal_id, p.type as principal_type, p.organisation_id,
  r.id as role_id, r.kind as role_kind, r.name as role_name, r.permissions as role_permissions,
  u.id as user_id, u.email`

/** The user behind session `s`, with principal and role where there is a live membership. */
export const personOfSession = (db: Queryable) => db`
  join users u on u.id = s.user_id
  left join members m on m.user_id = u.id and m.removed_at is null
  left join principals p on p.id = m.principal_id
  left join roles r on r.id = p.role_id`

/** The principal behind an access token, by the token's hash. */
export const findByToken = (db: Queryable, hash: Buffer) =>
  db<(CallerRow & { expires_at: Date | null; last_used_at: Date | null })[]>`
    select t.id as credential_id, t.expires_at, t.last_used_at, ${callerColumns(db)},
      coalesce(u.full_name, (select a.name from service_accounts a where a.id = p.id)) as full_name
    from tokens t
    join principals p on p.id = t.principal_id
    join roles r on r.id = p.role_id
    left join members m on m.principal_id = p.id
    left join users u on u.id = m.user_id
    where t.hash = ${hash}`

/** The person behind a session's bearer, with the live membership if there is one. */
export const findBySessionToken = (db: Queryable, hash: Buffer) =>
  db<
    (CallerRow & {
      expires_at: Date
      session_created_at: Date
      session_expires_at: Date
      session_last_used_at: Date
    })[]
  >`
    select s.id as credential_id, b.expires_at, s.created_at as session_created_at,
      s.expires_at as session_expires_at, s.last_used_at as session_last_used_at, ${callerColumns(db)}, u.full_name
    from session_tokens b
    join sessions s on s.id = b.session_id
    ${personOfSession(db)}
    where b.hash = ${hash}`

/** Notes that a token was used, unless that was noted between `unless` and now. */
export const touchToken = (db: Database, id: string, at: Date, unless: Date) =>
  db`
    update tokens set last_used_at = ${at}
    where id = ${id} and (last_used_at is null or last_used_at <= ${unless} or last_used_at > ${at})`

/** An account by the key of its e-mail address. */
export const findAccount = (db: Queryable, emailKey: string) => account(db, db`u.email_key = ${emailKey}`)

/** An account by its user's id. */
export const findAccountOf = (db: Queryable, userId: string) => account(db, db`u.id = ${userId}`)

const account = (db: Queryable, condition: ReturnType<Queryable>) =>
  db<AccountRow[]>`
    select u.id as user_id, u.email, u.full_name, u.password_hash, u.email_verified_at, u.verification_required,
      (select organisation_id from deployment) as deployment_organisation_id,
      m.id as member_id, m.created_at as member_created_at, m.updated_at as member_updated_at,
      r.id as role_id, r.kind as role_kind, r.name as role_name, o.id as organisation_id, o.name as organisation_name
    from users u
    left join members m on m.user_id = u.id and m.removed_at is null
    left join principals p on p.id = m.principal_id
    left join roles r on r.id = p.role_id
    left join organisations o on o.id = p.organisation_id
    where ${condition}`

/** Takes the deployment's row, so that of several first registrations one founds the organisation. */
export const lockDeployment = (tx: Transaction) =>
  tx<{ organisation_id: string | null }[]>`select organisation_id from deployment for update`

/** What stands in the way of a registration. */
export const registrationState = (db: Queryable, emailKey: string) =>
  db<{ organisation_id: string | null; email_taken: boolean }[]>`
    select organisation_id, exists (select 1 from users where email_key = ${emailKey}) as email_taken from deployment`

/** An account that is being registered. */
export type NewUser = Readonly<{
  id: string
  email: string
  email_key: string
  full_name: string
  password_hash: string
  verification_required: boolean
  created_at: Date
  updated_at: Date
}>

/** Stores an account; its address must be free. */
export const insertUser = (tx: Transaction, user: NewUser) => tx`insert into users ${tx(user)}`

/** Replaces an account's password hash, unless it is another than `before` by now. */
export const setPassword = (tx: Transaction, userId: string, before: string, after: string, at: Date) =>
  tx`
    update users set password_hash = ${after}, updated_at = ${at}
    where id = ${userId} and password_hash = ${before}`
