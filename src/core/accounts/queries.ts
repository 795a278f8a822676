import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'
import type { AccountRow } from './account.ts'

/** An account by its user's id. */
export const find = (db: Queryable, userId: string) => account(db, db`u.id = ${userId}`)

/** An account by the key of its e-mail address. */
export const findByEmailKey = (db: Queryable, emailKey: string) => account(db, db`u.email_key = ${emailKey}`)

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

/** Locks an account. */
export const lock = (tx: Transaction, userId: string) =>
  tx`select 1 from users where id = ${userId} for no key update`

/** Locks the account with an e-mail address. */
export const lockByEmailKey = (tx: Transaction, emailKey: string) =>
  tx<Row<'users', 'id' | 'email_verified_at'>[]>`
    select id, email_verified_at from users where email_key = ${emailKey} for no key update`

/** Locks the deployment, so that of several first registrations one creates the organisation. */
export const lockDeployment = (tx: Transaction) =>
  tx<Row<'deployment', 'organisation_id'>[]>`select organisation_id from deployment for update`

/** Whether there is an organisation, and whether an e-mail address has an account. */
export const registrationState = (db: Queryable, emailKey: string) =>
  db<(Row<'deployment', 'organisation_id'> & { email_taken: boolean })[]>`
    select organisation_id, exists (select 1 from users where email_key = ${emailKey}) as email_taken from deployment`

/** Stores a user; its e-mail address must be free. */
export const insertUser = (
  tx: Transaction,
  user: Row<
    'users',
    | 'id'
    | 'email'
    | 'email_key'
    | 'full_name'
    | 'password_hash'
    | 'email_verified_at'
    | 'verification_required'
    | 'created_at'
    | 'updated_at'
  >,
) => tx`insert into users ${tx(user)}`

/** Marks an account's e-mail address as verified, unless it is. */
export const markEmailVerified = (tx: Transaction, userId: string, at: Date) =>
  tx`
    update users set email_verified_at = ${at}, updated_at = ${at}
    where id = ${userId} and email_verified_at is null`

/** Asks for no verified e-mail address at sign-in any more. */
export const waiveVerification = (tx: Transaction, userId: string, at: Date) =>
  tx`update users set verification_required = false, updated_at = ${at} where id = ${userId} and verification_required`

/** Replaces an account's password hash, unless it is another than `before` by now. */
export const changePassword = (tx: Transaction, userId: string, before: string, after: string, at: Date) =>
  tx`
    update users set password_hash = ${after}, updated_at = ${at}
    where id = ${userId} and password_hash = ${before}`

/** Replaces an account's password hash, whatever it was. */
export const replacePassword = (tx: Transaction, userId: string, passwordHash: string, at: Date) =>
  tx`update users set password_hash = ${passwordHash}, updated_at = ${at} where id = ${userId}`

/** Gives an account without a name this one. */
export const nameIfEmpty = (tx: Transaction, userId: string, name: string, at: Date) =>
  tx`update users set full_name = ${name}, updated_at = ${at} where id = ${userId} and full_name = ''`

/** Permits an identity to be linked to an account until then. */
export const allowLink = (tx: Transaction, userId: string, until: Date) =>
  tx`update users set link_allowed_until = ${until} where id = ${userId}`

/** Ends the permission to link an identity to an account; false when there is none at this time. */
export const useLinkPermission = async (tx: Transaction, userId: string, at: Date): Promise<boolean> =>
  (
    await tx`
      update users set link_allowed_until = null
      where id = ${userId} and link_allowed_until > ${at}`
  ).count > 0

/** Whether an account was never a member of an organisation, not even one who was removed. */
export const wasNeverMember = async (tx: Transaction, userId: string): Promise<boolean> =>
  (await tx`select 1 from members where user_id = ${userId} limit 1`).length === 0

/** Removes an account's password and its name. */
export const clear = (tx: Transaction, userId: string, at: Date) =>
  tx`update users set password_hash = null, full_name = '', updated_at = ${at} where id = ${userId}`

/** Whether a user is a member of any organisation. */
export const isMember = async (db: Queryable, userId: string): Promise<boolean> =>
  (await db`select 1 from members where user_id = ${userId} and removed_at is null`).length > 0
