import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'

/** A ticket as it is stored, without its guesses. */
export type TicketRow = Row<
  'second_factor_tickets',
  'hash' | 'user_id' | 'browser_hash' | 'password_digest' | 'created_at' | 'expires_at'
>

/** Stores a ticket. */
export const insert = (db: Queryable, ticket: TicketRow) =>
  db`insert into second_factor_tickets ${db(ticket)}`

/** A ticket of this browser that has not expired, and was created until `latest`. */
export const find = (db: Queryable, hash: Buffer, browserHash: Buffer, at: Date, latest: Date) =>
  db<(Pick<TicketRow, 'user_id' | 'password_digest' | 'expires_at'> & { guesses: number })[]>`
    select user_id, password_digest, expires_at, guesses from second_factor_tickets
    where ${usable(db, hash, browserHash, at, latest)}`

/** Counts a guess with such a ticket, before it is checked. */
export const countGuess = (db: Queryable, hash: Buffer, browserHash: Buffer, at: Date, latest: Date) =>
  db<(Pick<TicketRow, 'user_id' | 'password_digest' | 'expires_at'> & { guesses: number })[]>`
    update second_factor_tickets set guesses = guesses + 1
    where ${usable(db, hash, browserHash, at, latest)}
    returning user_id, password_digest, expires_at, guesses`

const usable = (db: Queryable, hash: Buffer, browserHash: Buffer, at: Date, latest: Date) =>
  db`hash = ${hash} and browser_hash = ${browserHash} and expires_at > ${at} and created_at <= ${latest}`

/** Uses a ticket up; no row when that has happened before. */
export const remove = (tx: Transaction, hash: Buffer) =>
  tx`delete from second_factor_tickets where hash = ${hash}`
