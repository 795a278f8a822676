import type { Queryable, Transaction } from '../../platform/database.ts'
import { oldestFirst, type Window } from '../pagination.ts'
import { written } from '../rows.ts'
import { isId } from '../schema.ts'
import type { TokenRow } from './token.ts'

const COLUMNS = ['id', 'name', 'created_at', 'expires_at', 'last_used_at']

/** The access tokens of a principal, oldest first. */
export const list = (db: Queryable, principalId: string, window: Window) => db<TokenRow[]>`
    select ${db(COLUMNS)} from tokens
    where principal_id = ${principalId}
      ${oldestFirst(db, 'tokens', window)}`

/** A new token. */
export type NewToken = TokenRow & { organisation_id: string; principal_id: string; hash: Buffer }

/**
 * Adds a token of a principal, by its hash, and gives it as it is stored; fails on `tokens_principal` when the principal
 * has just gone.
 */
export const insert = async (tx: Transaction, token: NewToken): Promise<TokenRow> =>
  written(await tx<TokenRow[]>`insert into tokens ${tx(token)} returning ${tx(COLUMNS)}`)

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
