import type { Transaction } from '../platform/postgres/database.ts'

/*
 * Each takes at most so many rows and tells how many there were. It finds them in the order of an index, also where the
 * statistics say that nearly all rows are due, and passes over those that others have locked.
 */

/** Deletes what expired before then. */
export const removeExpired = (tx: Transaction, table: string, before: Date, rows: number) =>
  counted(tx`
    delete from ${tx(table)} where ctid = any(array(
      select ctid from ${tx(table)} where expires_at <= ${before}
      order by expires_at limit ${rows} for update skip locked))`)

/**
 * Deletes sessions that have expired, and those that were not used for long. These began before then, so that they expire
 * before some time, by which the index finds them.
 */
export const removeSessions = (
  tx: Transaction,
  now: Date,
  idle: Readonly<{ unusedSince: Date; expiresBefore: Date }>,
  rows: number,
) =>
  counted(tx`
    delete from sessions where ctid = any(array(
      select ctid from sessions
      where expires_at <= ${idle.expiresBefore} and (expires_at <= ${now} or last_used_at <= ${idle.unusedSince})
      order by expires_at limit ${rows} for update skip locked))`)

/** Deletes expired tokens of principals that have more of them than `most`: the oldest. */
export const removeSurplusTokens = (tx: Transaction, now: Date, most: number, rows: number) =>
  counted(tx`
    delete from tokens where ctid = any(array(
      select ctid from tokens where id in (
        select id from (
          select id, row_number() over (partition by principal_id order by created_at desc, id desc) as place
          from tokens where expires_at <= ${now}
        ) expired
        where place > ${most} limit ${rows}
      ) for update skip locked))`)

/** Deletes pending invites that have expired. */
export const removeInvites = (tx: Transaction, now: Date, rows: number) =>
  counted(tx`
    delete from invites where ctid = any(array(
      select ctid from invites where state = 'pending' and expires_at <= ${now}
      order by organisation_id, expires_at, id limit ${rows} for update skip locked))`)

/** Lets go of the keys of audit entries from before then, in which nothing is counted any more. */
export const endCoalescing = (tx: Transaction, before: Date, rows: number) =>
  counted(tx`
    update audit_entries set coalesce_key = null where ctid = any(array(
      select ctid from audit_entries where coalesce_key is not null and timestamp <= ${before}
      order by organisation_id, actor_id, timestamp limit ${rows} for update skip locked))`)

const counted = async (statement: PromiseLike<Readonly<{ count: number }>>): Promise<number> =>
  (await statement).count
