import type { Queryable, Transaction } from '../../platform/postgres/database.ts'

/** How many identities of a user are of these providers. */
export const countIdentities = (db: Queryable, userId: string, providers: readonly string[]) =>
  db`select count(*)::int as count from sso_identities where user_id = ${userId} and provider = any(${providers})`

/** Deletes all identities of a user. */
export const removeIdentities = (tx: Transaction, userId: string) =>
  tx`delete from sso_identities where user_id = ${userId}`
