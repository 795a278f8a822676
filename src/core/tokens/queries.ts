import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { isId } from '../id.ts'
import { oldestFirst, type PageRange } from '../pagination.ts'
import { written } from '../rows.ts'
import { creatorColumns, creators } from './creators.ts'
import type { TokenRow } from './token.ts'

/** The access tokens of a principal, oldest first. */
export const list = (db: Queryable, principalId: string, window: PageRange) => db<TokenRow[]>`
    select t.id, t.name, t.created_at, t.expires_at, t.last_used_at, ${creatorColumns(db)}
    from tokens t ${creators(db)}
    where t.principal_id = ${principalId}
      ${oldestFirst(db, 't', window)}`

/** Takes a principal's row, so that its new tokens come one after the other; nothing when it has just gone. */
export const lockPrincipal = (tx: Transaction, id: string) =>
  tx`select 1 from principals where id = ${id} for no key update`

/** How many tokens of a principal are live. */
export const countLive = (tx: Transaction, principalId: string, at: Date) =>
  tx<{ count: number }[]>`
    select count(*)::int as count from tokens
    where principal_id = ${principalId} and (expires_at is null or expires_at > ${at})`

/** A new token. */
export type NewToken = Readonly<{
  id: string
  organisation_id: string
  principal_id: string
  name: string
  hash: Buffer
  created_at: Date
  expires_at: Date | null
  created_by: string
  created_by_name: string | null
}>

/**
 * Adds a token of a principal, by its hash, and gives it as it is stored; fails on `tokens_principal` when the principal
 * has just gone.
 */
export const insert = async (tx: Transaction, token: NewToken): Promise<TokenRow> =>
  written(
    await tx<TokenRow[]>`
      with t as (insert into tokens ${tx(token)} returning *)
      select t.id, t.name, t.created_at, t.expires_at, t.last_used_at, ${creatorColumns(tx)} from t ${creators(tx)}`,
  )

/** What a token that was revoked was. */
export type RevokedToken = Readonly<{ id: string; name: string; expires_at: Date | null }>

/** Deletes a token of this principal and gives what it was; undefined when there is none, also for a malformed id. */
export const remove = async (
  tx: Transaction,
  principalId: string,
  id: string,
): Promise<RevokedToken | undefined> =>
  isId(id)
    ? (
        await tx<RevokedToken[]>`
          delete from tokens where principal_id = ${principalId} and id = ${id} returning id, name, expires_at`
      )[0]
    : undefined

/** Deletes all access tokens of a person's live membership and gives what they were. */
export const removeAllOf = (tx: Transaction, userId: string) =>
  tx<(RevokedToken & { principal_id: string })[]>`
    delete from tokens
    where principal_id = (select principal_id from members where user_id = ${userId} and removed_at is null)
    returning principal_id, id, name, expires_at`
