import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { isId } from '../id.ts'
import { oldestFirst, type PageRange } from '../pagination.ts'
import type { Row } from '../tables.ts'

/** A passkey as its user sees it. */
export type PasskeyRow = Row<'passkeys', 'id' | 'name' | 'created_at' | 'last_used_at'>

/** What a browser needs to find a passkey. */
export type PasskeyDescriptor = Row<'passkeys', 'credential_id' | 'transports'>

/** What an assertion is verified with. */
export type StoredPasskey = Row<'passkeys', 'id' | 'user_id' | 'name' | 'credential_id' | 'public_key'>

/** A user's passkeys, oldest first. */
export const list = (db: Queryable, userId: string, range: PageRange) => db<PasskeyRow[]>`
    select id, name, created_at, last_used_at from passkeys
    where user_id = ${userId} ${oldestFirst(db, 'passkeys', range)}`

/** The passkeys of a user that browsers offer to this host. */
export const descriptors = (db: Queryable, userId: string, rpId: string) => db<PasskeyDescriptor[]>`
    select credential_id, transports from passkeys
    where user_id = ${userId} and rp_id = ${rpId} order by created_at, id`

/** How many passkeys a user has: for one host, or for all. */
export const count = (db: Queryable, userId: string, rpId: string | null = null) =>
  db<{ count: number }[]>`
    select count(*)::int as count from passkeys
    where user_id = ${userId} ${rpId === null ? db`` : db`and rp_id = ${rpId}`}`

/** A passkey by the id of its credential. */
export const findByCredential = (db: Queryable, rpId: string, credentialId: Uint8Array) => db<
  StoredPasskey[]
>`
    select id, user_id, name, credential_id, public_key from passkeys
    where rp_id = ${rpId} and credential_id = ${credentialId}`

/** Stores a passkey. */
export const insert = (
  tx: Transaction,
  passkey: Omit<Row<'passkeys', NewColumn>, 'counter'> & { counter: number },
) => tx<PasskeyRow[]>`
    insert into passkeys
      (id, user_id, rp_id, credential_id, public_key, counter, transports, name, created_at)
    values (${passkey.id}, ${passkey.user_id}, ${passkey.rp_id}, ${passkey.credential_id}, ${passkey.public_key},
      ${passkey.counter}, ${passkey.transports}::text[], ${passkey.name}, ${passkey.created_at})
    returning id, name, created_at, last_used_at`

type NewColumn =
  | 'id'
  | 'user_id'
  | 'rp_id'
  | 'credential_id'
  | 'public_key'
  | 'counter'
  | 'transports'
  | 'name'
  | 'created_at'

/**
 * Writes that a passkey was used, unless its counter did not rise: then it may be a copy. Authenticators that don't count
 * always say 0. No row when the passkey was removed, too. A counter has 32 bits, without a sign.
 */
export const markUsed = (tx: Transaction, id: string, counter: number, at: Date) =>
  tx`
    update passkeys set counter = ${counter}, last_used_at = ${at}
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`

/** Deletes one passkey of a user; no row when there is none, or the id is malformed. */
export const remove = async (tx: Transaction, userId: string, id: string): Promise<PasskeyRow | undefined> =>
  isId(id)
    ? (
        await tx<PasskeyRow[]>`
          delete from passkeys where id = ${id} and user_id = ${userId}
          returning id, name, created_at, last_used_at`
      )[0]
    : undefined

/** Keeps a challenge from being answered again; no row when it was answered before. */
export const useChallenge = (tx: Transaction, hash: Buffer, expiresAt: Date) =>
  tx`
    insert into used_challenges (hash, expires_at) values (${hash}, ${expiresAt})
    on conflict do nothing returning 1`

/** How many passkeys there are for other hosts than this one, by host. */
export const countForeign = (db: Queryable, rpId: string) =>
  db<{ rp_id: string; passkeys: number; users: number }[]>`
    select rp_id, count(*)::int as passkeys, count(distinct user_id)::int as users from passkeys
    where rp_id <> ${rpId} group by rp_id order by rp_id`
