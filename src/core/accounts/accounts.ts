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

/** Gives an account without a name this one; does nothing for an empty one. */
export async function nameIfEmpty(tx: Transaction, userId: string, name: string, at: Date): Promise<void> {
  if (name !== '') await queries.nameIfEmpty(tx, userId, name, at)
}

/** Lets the next single sign-on with an account's verified address link its identity, once, until then. */
export async function allowLink(tx: Transaction, userId: string, until: Date): Promise<void> {
  await queries.allowLink(tx, userId, until)
}

/** Uses up an operator's permission to link an identity to an account; false when there is none at this time. */
export const useLinkPermission = (tx: Transaction, userId: string, at: Date): Promise<boolean> =>
  queries.useLinkPermission(tx, userId, at)

/** Whether nobody has proved to have an account's address, and it was never a member, not even one who was removed. */
export const isUnclaimed = async (
  tx: Transaction,
  { user_id: userId, email_verified_at }: Pick<AccountRow, 'user_id' | 'email_verified_at'>,
): Promise<boolean> => email_verified_at === null && (await queries.wasNeverMember(tx, userId))

/** Removes an account's password and its name, which somebody else has chosen. */
export async function clearAccount(tx: Transaction, userId: string, at: Date): Promise<void> {
  await queries.clear(tx, userId, at)
}

/** Whether a user is a member of any organisation. */
export const isMember = (db: Queryable, userId: string): Promise<boolean> => queries.isMember(db, userId)
