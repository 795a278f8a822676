import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'

/** The factors of an account: its passkeys for this host and for others, authenticator app, unused recovery codes. */
export type FactorsRow = Readonly<{
  passkeys: number
  foreign_passkeys: number
  has_totp: boolean
  recovery_codes: number
}>

/** What an account has set up. */
export const factors = (db: Queryable, userId: string, rpId: string) => db<FactorsRow[]>`
    select
      (select count(*)::int from passkeys where user_id = ${userId} and rp_id = ${rpId}) as passkeys,
      (select count(*)::int from passkeys where user_id = ${userId} and rp_id <> ${rpId}) as foreign_passkeys,
      exists (
        select 1 from totp_secrets where user_id = ${userId} and confirmed_at is not null
      ) as has_totp,
      (select count(*)::int from recovery_codes where user_id = ${userId}) as recovery_codes`

/** The authenticator app of an account, whether or not it is confirmed. */
export const findTotp = (db: Queryable, userId: string) =>
  db<Row<'totp_secrets', 'wrapped_secret' | 'created_at' | 'confirmed_at'>[]>`
    select wrapped_secret, created_at, confirmed_at from totp_secrets where user_id = ${userId}`

/** Stores a secret to be confirmed, in the place of another one that is not confirmed. */
export const insertTotp = (tx: Transaction, userId: string, wrappedSecret: string, at: Date) =>
  tx`
    insert into totp_secrets (user_id, wrapped_secret, created_at) values (${userId}, ${wrappedSecret}, ${at})
    on conflict (user_id) do update set wrapped_secret = excluded.wrapped_secret, created_at = excluded.created_at
    where totp_secrets.confirmed_at is null`

/** Confirms a secret with the code of a time step, which is then used. */
export const confirmTotp = (tx: Transaction, userId: string, step: number, at: Date) =>
  tx`
    update totp_secrets set confirmed_at = ${at}, last_step = ${step}
    where user_id = ${userId} and confirmed_at is null`

/** Uses the code of a time step; no row when it, or that of a later step, was used before. */
export const useStep = (tx: Transaction, userId: string, step: number) =>
  tx`
    update totp_secrets set last_step = ${step}
    where user_id = ${userId} and confirmed_at is not null and last_step < ${step}`

/** Deletes the authenticator app of an account; no row when none was confirmed. */
export const removeTotp = (tx: Transaction, userId: string) =>
  tx`delete from totp_secrets where user_id = ${userId} and confirmed_at is not null`

/** Deletes all recovery codes of an account. */
export const removeRecoveryCodes = (tx: Transaction, userId: string) =>
  tx`delete from recovery_codes where user_id = ${userId}`

/** Stores the hashes of new recovery codes. */
export const insertRecoveryCodes = (tx: Transaction, userId: string, hashes: readonly Buffer[]) =>
  tx`insert into recovery_codes ${tx(hashes.map((hash) => ({ user_id: userId, hash })))}`

/** Uses a recovery code; no row when it is unknown or was used. */
export const useRecoveryCode = (tx: Transaction, userId: string, hash: Buffer) =>
  tx`delete from recovery_codes where user_id = ${userId} and hash = ${hash}`

/** Deletes an account's passkeys, authenticator app and recovery codes; tells how many of each there were. */
export const removeAll = (tx: Transaction, userId: string) =>
  tx<{ passkeys: number; totp: number; recovery_codes: number }[]>`
    with
      p as (delete from passkeys where user_id = ${userId} returning 1),
      t as (delete from totp_secrets where user_id = ${userId} returning confirmed_at),
      r as (delete from recovery_codes where user_id = ${userId} returning 1)
    select (select count(*)::int from p) as passkeys, (select count(confirmed_at)::int from t) as totp,
      (select count(*)::int from r) as recovery_codes`
