import { createHash, randomBytes } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { latestNow } from '../clock-skew.ts'
import { notFound, tooMany } from '../errors.ts'
import { after } from '../sessions/lifetime.ts'
import * as queries from './ticket-queries.ts'

/** How long a right password waits for the second factor. */
const TICKET_SECONDS = 300

/** How often the second factor can be tried with one ticket. */
const MOST_GUESSES = 5

/** A ticket as it is sent, and the browser that sends it. */
export type SentTicket = Readonly<{ ticket: string; browser: string }>

/** The account that a ticket is for. */
export type TicketAccount = Readonly<{ userId: string; isPassword(passwordHash: string | null): boolean }>

/** Makes a ticket for an account whose password was right, for this browser. */
export async function createTicket(
  ctx: Context,
  userId: string,
  passwordHash: string,
  browser: string,
): Promise<string> {
  const at = ctx.clock.now()
  const ticket = randomBytes(32).toString('base64url')
  await queries.insert(ctx.db, {
    hash: sha256(ticket),
    user_id: userId,
    browser_hash: sha256(browser),
    password_digest: sha256(passwordHash),
    created_at: at,
    expires_at: after(at, TICKET_SECONDS),
  })
  return ticket
}

/** The account of a ticket; 404 when it is unknown, used, expired, or another browser's. */
export async function findTicket(ctx: Context, { ticket, browser }: SentTicket): Promise<TicketAccount> {
  const now = ctx.clock.now()
  const [row] = await queries.find(ctx.db, sha256(ticket), sha256(browser), now, latestNow(now))
  if (row === undefined) throw noTicket()
  return accountOf(row)
}

/** `findTicket`, and counts an attempt at the second factor before it is checked; 429 beyond 5 with one ticket. */
export async function guessWithTicket(ctx: Context, { ticket, browser }: SentTicket): Promise<TicketAccount> {
  const now = ctx.clock.now()
  const [row] = await queries.countGuess(ctx.db, sha256(ticket), sha256(browser), now, latestNow(now))
  if (row === undefined) throw noTicket()
  if (row.guesses > MOST_GUESSES) {
    const seconds = (row.expires_at.getTime() - now.getTime()) / 1000
    throw tooMany('Too many attempts. Enter your password again.', seconds, MOST_GUESSES)
  }
  return accountOf(row)
}

/** Uses a ticket up; 404 when another request was faster. Requires the lock of the account. */
export async function useTicket(tx: Transaction, ticket: string): Promise<void> {
  if ((await queries.remove(tx, sha256(ticket))).count === 0) throw noTicket()
}

/** The error of a ticket that doesn't count, or whose password was changed. */
export const noTicket = () => notFound('Sign-in')

const accountOf = (row: Pick<queries.TicketRow, 'user_id' | 'password_digest'>): TicketAccount => ({
  userId: row.user_id,
  isPassword: (passwordHash) => passwordHash !== null && sha256(passwordHash).equals(row.password_digest),
})

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
