import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'
import { type AccountRow, emailKey } from './account.ts'
import * as queries from './queries.ts'

/** A user's account, with the active membership if there is one; undefined when there is no such user. */
export async function findAccount(db: Queryable, userId: string): Promise<AccountRow | undefined> {
  const [account] = await queries.find(db, userId)
  return account
}

/** The account with an e-mail address, however its case is written; undefined when there is none. */
export async function findAccountByEmail(db: Queryable, email: string): Promise<AccountRow | undefined> {
  const [account] = await queries.findByEmailKey(db, emailKey(email))
  return account
}

/** Locks an account until the transaction ends. */
export async function lockAccount(tx: Transaction, userId: string): Promise<void> {
  await queries.lock(tx, userId)
}

/** Locks the account with an e-mail address until the transaction ends; undefined when there is none. */
export async function lockAccountByEmail(
  tx: Transaction,
  email: string,
): Promise<Row<'users', 'id' | 'email_verified_at'> | undefined> {
  const [account] = await queries.lockByEmailKey(tx, emailKey(email))
  return account
}

/** Marks an account's e-mail address as verified; false when it was before. */
export const markEmailVerified = async (tx: Transaction, userId: string, at: Date): Promise<boolean> =>
  (await queries.markEmailVerified(tx, userId, at)).count > 0

/** Lets an account sign in although its e-mail address was never verified; the address stays unverified. */
export async function waiveVerification(tx: Transaction, userId: string, at: Date): Promise<void> {
  await queries.waiveVerification(tx, userId, at)
}

/** Gives an account a new password, whatever the old one was. */
export async function replacePassword(
  tx: Transaction,
  userId: string,
  passwordHash: string,
  at: Date,
): Promise<void> {
  await queries.replacePassword(tx, userId, passwordHash, at)
}
