import type { Queryable } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'

/** An account as an operator sees it. */
export type ListedAccount = Row<'users', 'id' | 'email' | 'full_name' | 'email_verified_at' | 'created_at'> &
  Readonly<{
    has_password: boolean
    has_passkey: boolean
    has_totp: boolean
    providers: readonly string[]
    role_name: string | null
  }>

/** Accounts, oldest first, after the one given. */
export const listAccounts = (
  db: Queryable,
  after: Pick<ListedAccount, 'created_at' | 'id'> | undefined,
  limit: number,
) => db<ListedAccount[]>`
  select u.id, u.email, u.full_name, u.email_verified_at, u.created_at, u.password_hash is not null as has_password,
    array(select provider from sso_identities i where i.user_id = u.id order by provider) as providers,
    (select count(*) > 0 from passkeys k where k.user_id = u.id) as has_passkey,
    (select count(*) > 0 from totp_secrets t where t.user_id = u.id and confirmed_at is not null) as has_totp,
    r.name as role_name
  from users u
  -- There is at most one of each. The limits have them looked up for each account of the page.
  left join lateral (select principal_id from members where user_id = u.id and removed_at is null limit 1) m on true
  left join lateral (select role_id from principals where id = m.principal_id limit 1) p on true
  left join lateral (select name from roles where id = p.role_id limit 1) r on true
  ${after === undefined ? db`` : db`where (u.created_at, u.id) > (${after.created_at}, ${after.id})`}
  order by u.created_at, u.id
  limit ${limit}`
