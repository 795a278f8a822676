import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'

export type IdentityRow = Row<'sso_identities', 'id' | 'user_id' | 'provider' | 'created_at'>

/** Marks a state as used; false when it was before. */
export const markStateUsed = async (db: Queryable, hash: Buffer, expiresAt: Date): Promise<boolean> =>
  (
    await db`
      insert into sso_used_states (hash, expires_at) values (${hash}, ${expiresAt}) on conflict do nothing`
  ).count > 0

/** The identity with this issuer and subject. */
export const find = (db: Queryable, issuer: string, subject: string) =>
  db<IdentityRow[]>`
    select id, user_id, provider, created_at from sso_identities
    where issuer = ${issuer} and subject = ${subject}`

/** A user's identities, oldest first. */
export const list = (db: Queryable, userId: string) =>
  db<IdentityRow[]>`
    select id, user_id, provider, created_at from sso_identities
    where user_id = ${userId} order by created_at, id`

/** Stores an identity. */
export const insert = (
  tx: Transaction,
  identity: Row<'sso_identities', 'id' | 'user_id' | 'provider' | 'issuer' | 'subject' | 'created_at'>,
) => tx`insert into sso_identities ${tx(identity)}`

/** Deletes a user's identity at a provider; false when there is none. */
export const remove = async (tx: Transaction, userId: string, provider: string): Promise<boolean> =>
  (await tx`delete from sso_identities where user_id = ${userId} and provider = ${provider}`).count > 0

/** One sign-in for an address at a time: of two first ones, the second finds the account of the first. */
export const lockAddress = (tx: Transaction, emailKey: string) =>
  tx`select pg_advisory_xact_lock(hashtextextended(${`keyward/sso/${emailKey}`}, 0))`
