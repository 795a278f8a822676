import type { Queryable, Transaction } from '../../platform/postgres/database.ts'

/** What a link that is sent to an account's address is for. */
export type EmailLinkPurpose = 'verify-email' | 'reset-password'

/** A link that can still be used, and whose it is. */
export type EmailLinkRow = Readonly<{
  id: string
  nonce: Uint8Array
  user_id: string
  email: string
  email_verified_at: Date | null
}>

/** A live link for a purpose, made until `latest`. */
export const find = (db: Queryable, id: string, purpose: EmailLinkPurpose, at: Date, latest: Date) =>
  db<EmailLinkRow[]>`
    select l.id, l.nonce, l.user_id, u.email, u.email_verified_at
    from email_links l join users u on u.id = l.user_id
    where l.id = ${id} and l.purpose = ${purpose} and l.used_at is null and l.expires_at > ${at}
      and l.created_at <= ${latest}`

/** Takes the row of the account with an address, so that its links come one after the other. */
export const lockAddress = (tx: Transaction, emailKey: string) =>
  tx<{ id: string; email_verified_at: Date | null }[]>`
    select id, email_verified_at from users where email_key = ${emailKey} for no key update`

/** Takes an account's row. */
export const lockUser = (tx: Transaction, userId: string) =>
  tx`select 1 from users where id = ${userId} for no key update`

/** A new link, and when a live one made until `latest` stands in its way: one made since `recentAt`, or `most`. */
export type NewEmailLink = Readonly<{
  id: string
  userId: string
  purpose: EmailLinkPurpose
  nonce: Uint8Array
  at: Date
  expiresAt: Date
  recentAt: Date
  latest: Date
  most: number
}>

/** Stores a link unless there are enough already; answers with its id if it did. */
export const insert = (tx: Transaction, link: NewEmailLink) =>
  tx<{ id: string }[]>`
    insert into email_links (id, user_id, purpose, nonce, created_at, expires_at)
    select ${link.id}::uuid, ${link.userId}::uuid, ${link.purpose}::text, ${link.nonce}::bytea,
      ${link.at}::timestamptz, ${link.expiresAt}::timestamptz
    from (
      select count(*) as live, max(created_at) as newest from email_links
      where user_id = ${link.userId} and purpose = ${link.purpose} and used_at is null and expires_at > ${link.at}
        and created_at <= ${link.latest}
    ) as others
    where live < ${link.most} and (newest is null or newest <= ${link.recentAt})
    returning id`

/** Marks an account's live links for a purpose as used, and tells which they were. */
export const markAllUsed = (tx: Transaction, userId: string, purpose: EmailLinkPurpose, at: Date) =>
  tx<{ id: string }[]>`
    update email_links set used_at = ${at}
    where user_id = ${userId} and purpose = ${purpose} and used_at is null and expires_at > ${at}
    returning id`

/** Notes that an account's address is proved; nothing when it was. */
export const verifyAddress = (tx: Transaction, userId: string, at: Date) =>
  tx`
    update users set email_verified_at = ${at}, updated_at = ${at}
    where id = ${userId} and email_verified_at is null`

/** Gives an account another password, whatever it was. */
export const setPassword = (tx: Transaction, userId: string, passwordHash: string, at: Date) =>
  tx`update users set password_hash = ${passwordHash}, updated_at = ${at} where id = ${userId}`
