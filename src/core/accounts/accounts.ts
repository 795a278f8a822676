import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { verifyAddress } from '../links/queries.ts'
import type { AccountRow } from './account.ts'
import { findAccountOf } from './queries.ts'

/** A user's account, with the live membership if there is one; undefined when there is no such user. */
export async function accountOf(db: Queryable, userId: string): Promise<AccountRow | undefined> {
  const [account] = await findAccountOf(db, userId)
  return account
}

/** Notes that a user has followed a link sent to the account's address; nothing when it was proved before. */
export async function proveAddress(tx: Transaction, userId: string, at: Date): Promise<void> {
  await verifyAddress(tx, userId, at)
}
