import type { Queryable, Transaction } from '../../platform/database.ts'
import { oldestFirst, type Window } from '../pagination.ts'
import { isId } from '../schema.ts'
import type { TokenRow } from './token.ts'

const COLUMNS = ['id', 'name', 'created_at', 'expires_at', 'last_used_at']

/** The access tokens of a principal, oldest first. */
export const list = (db: Queryable, principalId: string, window: Window) => db<TokenRow[]>`
    select ${db(COLUMNS)} from tokens
    where principal_id = ${principalId}
      ${oldestFirst(db, 'tokens', window)}`

/** Adds a token of a principal, by its hash; fails on `tokens_principal` when the principal has just gone. */
export const insert = (
  tx: Transaction,
  row: TokenRow & { organisation_id: string; principal_id: string; hash: Buffer },
) => tx`insert into tokens ${tx(row)}`

/** Deletes a token of this principal and gives what it was; undefined when there is none, also for a malformed id. */
export const remove = async (
  tx: Transaction,
  principalId: string,
  id: string,
): Promise<TokenRow | undefined> =>
  isId(id)
    ? (
        await tx<TokenRow[]>`
          delete from tokens where principal_id = ${principalId} and id = ${id} returning ${tx(COLUMNS)}`
      )[0]
    : undefined

/** Deletes all access tokens of a person's live membership and gives what they were. */
export const removeAllOf = (tx: Transaction, userId: string) =>
  tx<(TokenRow & { principal_id: string })[]>`
    delete from tokens
    where principal_id = (select principal_id from members where user_id = ${userId} and removed_at is null)
    returning principal_id, ${tx(COLUMNS)}`
