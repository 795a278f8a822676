import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { oldestFirst, type PageRange } from '../pagination.ts'
import { countOf, findById, written } from '../rows.ts'
import type { Row } from '../tables.ts'
import { creatorColumns, creators } from './creators.ts'
import type { TokenRow } from './token.ts'

/** The access tokens of a principal, oldest first. */
export const list = (db: Queryable, principalId: string, range: PageRange) => db<TokenRow[]>`
    select t.id, t.name, t.format, t.created_at, t.expires_at, t.last_used_at, ${creatorColumns(db)}
    from tokens t ${creators(db)}
    where t.principal_id = ${principalId}
      ${oldestFirst(db, 't', range)}`

/** How many access tokens a principal has, expired ones among them. */
export const count = (db: Queryable, principalId: string): Promise<number> =>
  countOf(db`select count(*)::int as count from tokens where principal_id = ${principalId}`)

/** Locks a principal's row, so that its tokens are created one at a time; no row when it has just been deleted. */
export const lockPrincipal = (tx: Transaction, id: string) =>
  tx<Row<'principals', 'identity_key' | 'wrapped_private_key'>[]>`
    select identity_key, wrapped_private_key from principals where id = ${id} for no key update`

/** How many tokens of a principal have not expired. */
export const countLive = (tx: Transaction, principalId: string, at: Date) =>
  tx<{ count: number }[]>`
    select count(*)::int as count from tokens
    where principal_id = ${principalId} and (expires_at is null or expires_at > ${at})`

/**
 * Locks the tokens of a principal that is about to be deleted, in the order of `removeAllOf`; gives how many have not
 * expired.
 */
export const lockAll = (tx: Transaction, principalId: string, at: Date): Promise<number> =>
  countOf(tx`
    select count(*) filter (where expires_at is null or expires_at > ${at})::int as count from (
      select expires_at from tokens where principal_id = ${principalId} order by id for update
    ) locked`)

/**
 * Deletes up to 1,000 expired tokens of a principal, of those beyond the `most` that were created last. Locked ones are
 * passed over: whoever has locked them deletes them.
 */
export const removeSurplusExpired = (tx: Transaction, principalId: string, at: Date, most: number) =>
  tx`
    delete from tokens where id in (
      select id from tokens where id in (
        select id from tokens where principal_id = ${principalId} and expires_at <= ${at}
        order by created_at desc, id desc offset ${most} limit 1000
      ) for update skip locked
    )`

/** A new token, which was never used. */
export type NewToken = Row<
  'tokens',
  | 'id'
  | 'organisation_id'
  | 'principal_id'
  | 'name'
  | 'hash'
  | 'format'
  | 'wrapped_key_share'
  | 'created_at'
  | 'expires_at'
  | 'created_by'
  | 'created_by_name'
  | 'responsible_id'
  | 'branch_id'
>

/** Stores a token by its hash and gives it as it is stored; fails on `tokens_principal` when its principal has just gone. */
export const insert = async (tx: Transaction, token: NewToken): Promise<TokenRow> =>
  written(
    await tx<TokenRow[]>`
      with t as (insert into tokens ${tx(token)} returning *)
      select t.id, t.name, t.format, t.created_at, t.expires_at, t.last_used_at, ${creatorColumns(tx)}
      from t ${creators(tx)}`,
  )

/** A token that was deleted. */
export type DeletedToken = Row<'tokens', 'id' | 'name' | 'expires_at'>

/** Deletes a token of this principal and gives it; undefined when there is none, also for a malformed id. */
export const remove = (tx: Transaction, principalId: string, id: string): Promise<DeletedToken | undefined> =>
  findById(
    id,
    () => tx<DeletedToken[]>`
      delete from tokens where principal_id = ${principalId} and id = ${id} returning id, name, expires_at`,
  )

/** Deletes all tokens of a user's active membership, expired ones too, and gives those that had not expired. */
export const removeAllOf = (tx: Transaction, userId: string, at: Date) =>
  tx<Row<'tokens', 'principal_id' | 'id' | 'name' | 'expires_at'>[]>`
    with deleted as (
      delete from tokens where id in (
        select id from tokens
        where principal_id = (select principal_id from members where user_id = ${userId} and removed_at is null)
        order by id for update
      )
      returning principal_id, id, name, expires_at
    )
    select * from deleted where expires_at is null or expires_at > ${at}`
