import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'

/** The purpose of a link that is mailed to an account's address. */
export type EmailLinkPurpose = Row<'email_links', 'purpose'>['purpose']

/** A link with its account. */
export type EmailLinkRow = Row<
  'email_links',
  'id' | 'nonce' | 'user_id' | 'by_operator' | 'removes_factors'
> &
  Row<'users', 'email' | 'email_verified_at'>

/** A valid link for a purpose, created until `latest`. */
export const find = (db: Queryable, id: string, purpose: EmailLinkPurpose, at: Date, latest: Date) =>
  db<EmailLinkRow[]>`
    select l.id, l.nonce, l.user_id, l.by_operator, l.removes_factors, u.email, u.email_verified_at
    from email_links l join users u on u.id = l.user_id
    where l.id = ${id} and l.purpose = ${purpose} and l.used_at is null and l.expires_at > ${at}
      and l.created_at <= ${latest}`

/**
 * A new link, and what prevents it, among the valid links created until `latest`: one created since `recentAt`, or `most`
 * of them.
 */
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

/** Stores a link unless there are enough already; returns its id, or no row. */
export const insert = (tx: Transaction, link: NewEmailLink) =>
  tx<{ id: string }[]>`
    insert into email_links (id, user_id, purpose, nonce, created_at, expires_at)
    select ${link.id}::uuid, ${link.userId}::uuid, ${link.purpose}::text, ${link.nonce}::bytea,
      ${link.at}::timestamptz, ${link.expiresAt}::timestamptz
    from (
      select count(*) as valid, max(created_at) as newest from email_links
      where user_id = ${link.userId} and purpose = ${link.purpose} and used_at is null and expires_at > ${link.at}
        and created_at <= ${link.latest}
    ) as others
    where valid < ${link.most} and (newest is null or newest <= ${link.recentAt})
    returning id`

/** Stores a link that an operator hands over. */
export const insertByOperator = (
  tx: Transaction,
  link: Row<
    'email_links',
    'id' | 'user_id' | 'purpose' | 'nonce' | 'created_at' | 'expires_at' | 'removes_factors'
  >,
) => tx`insert into email_links ${tx({ ...link, by_operator: true })}`

/** Marks an account's valid links for a purpose as used; returns their ids. */
export const markAllUsed = (tx: Transaction, userId: string, purpose: EmailLinkPurpose, at: Date) =>
  tx<{ id: string }[]>`
    update email_links set used_at = ${at}
    where user_id = ${userId} and purpose = ${purpose} and used_at is null and expires_at > ${at}
    returning id`
