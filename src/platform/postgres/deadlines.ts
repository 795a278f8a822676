import type postgres from 'postgres'
import { DeadlinePassed, isLoss, OutcomeUnknown, outageOf } from './outages.ts'
import { isRead } from './read-statements.ts'
import { traceStatement } from './statement-spans.ts'

/** How long a statement or transaction may take, the wait for a free connection included. */
export type Deadlines = Readonly<{
  /** A statement by itself; `Infinity` for no deadline, as below. */
  statementMilliseconds: number
  /** A transaction as a whole. */
  transactionMilliseconds: number
}>

/** What a pool that keeps deadlines has beside what the driver gives it. */
export type DeadlineKeeper = Readonly<{
  deadlines: Deadlines
  /** One transaction with a deadline of its own; `Infinity` for none. */
  beginWithin<T>(milliseconds: number, work: (tx: postgres.TransactionSql) => Promise<T>): Promise<T>
}>

/**
 * Gives every statement and every transaction of a pool a deadline of our own: a server that has stopped ends nothing
 * by itself, and does not hear a request to cancel either. What overruns is rejected with `DeadlinePassed`, and
 * its connection is destroyed, so that a late answer reaches nobody. A change that was under way when the server was
 * lost is rejected with `OutcomeUnknown`. A connection to a server that refuses to write is left, in case there is
 * another server at the same address by now. `met` hears of every error.
 */
export function keepDeadlines(
  sql: postgres.Sql,
  deadlines: Deadlines,
  met: (error: unknown) => void,
): postgres.Sql & DeadlineKeeper {
  const pool = sql as unknown as Pool
  const begin = pool.begin
  pool.options.ontransactionquery = traceStatement
  pool.options.onquery = (statement) => {
    traceStatement(statement)
    // A transaction's first statement: the whole has a deadline.
    if (statement.options.onexecute !== undefined) return
    watch(statement, deadlines.statementMilliseconds, met)
    // The driver would send further statements after it on the same connection, where they waited for a slow one.
    statement.options.onexecute = () => false
  }
  pool.begin = async (...args) => {
    const [mode, work] = typeof args[0] === 'function' ? ['', args[0]] : [args[0], args[1] as Work]
    const milliseconds = (args[2] as number | undefined) ?? deadlines.transactionMilliseconds
    return await watchTransaction((one, onbegin) => begin(mode, one, onbegin), work, milliseconds, met)
  }
  const beginWithin = async (milliseconds: number, work: Work) => await pool.begin('', work, milliseconds)
  return Object.assign(sql, { deadlines, beginWithin } as DeadlineKeeper)
}

/** Waits at most so long for work, which goes on; rejects with `DeadlinePassed` then. */
export async function withinDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  if (milliseconds === Infinity) return await work
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlinePassed()), milliseconds)
  })
  // Nobody hears of an error after the deadline.
  work.catch(() => {})
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Has the pool close the connection that a statement ran on, once what else was sent on it is answered. */
export function leaveConnection(statement: unknown): void {
  const { socket, connection } = statement as Statement
  // One that is lost already may serve others by now.
  if (socket?.readyState === 'open' && !socket.destroyed) void connection?.end()
}

type Work = (tx: postgres.TransactionSql) => unknown

/** What the patched driver lets us see of itself. */
type Pool = {
  options: {
    /** Hears of every statement by itself, and of the first one of each transaction, before it has a connection. */
    onquery?: (statement: Statement) => void
    /** Hears of the other statements of transactions. */
    ontransactionquery?: (statement: Statement) => void
  }
  begin(mode: string | Work, work?: Work, more?: unknown): Promise<unknown>
}

/** A query of the driver; it has its whole SQL and a socket once it was sent. */
type Statement = {
  string: string
  options: { onexecute?: unknown }
  socket?: { destroy(): void; destroyed: boolean; readyState: string }
  connection?: Connection
  resolve(value: unknown): void
  reject(error: unknown): void
  cancel(): void
}

type Connection = { end(): Promise<void>; queue: { remove(connection: Connection): void } }

function watch(statement: Statement, milliseconds: number, met: (error: unknown) => void): void {
  const { resolve, reject } = statement
  const timer = after(milliseconds, () => {
    statement.reject(new DeadlinePassed())
    giveUp(statement)
  })
  statement.resolve = (value) => {
    clearTimeout(timer)
    resolve(value)
  }
  statement.reject = (error) => {
    clearTimeout(timer)
    met(error)
    if (outageOf(error) === 'read-only') leaveConnection(statement)
    const isUnknown = isLoss(error) && statement.socket !== undefined && !isRead(statement.string)
    reject(isUnknown ? new OutcomeUnknown(error) : error)
  }
}

async function watchTransaction(
  begin: (work: Work, onbegin: (first: Statement) => void) => Promise<unknown>,
  work: Work,
  milliseconds: number,
  met: (error: unknown) => void,
): Promise<unknown> {
  let first: Statement | undefined
  let isCommitting = false
  const noting: Work = async (tx) => {
    const result = work(tx)
    const value = await (Array.isArray(result) ? Promise.all(result) : result)
    isCommitting = true
    return value
  }
  const { promise: overrun, reject } = Promise.withResolvers<never>()
  const overruns = () => {
    reject(new DeadlinePassed())
    if (first !== undefined) giveUp(first)
  }
  const timer = after(milliseconds, overruns)
  try {
    return await Promise.race([begin(noting, (statement) => (first = statement)), overrun])
  } catch (error) {
    met(error)
    if (first !== undefined && outageOf(error) === 'read-only') leaveConnection(first)
    throw isCommitting && isLoss(error) ? new OutcomeUnknown(error) : error
  } finally {
    clearTimeout(timer)
  }
}

// A timer for ever would end at once.
const after = (milliseconds: number, work: () => void) =>
  milliseconds === Infinity ? undefined : setTimeout(work, Math.max(0, milliseconds))

/** What was sent loses its connection, at once and without a word to the server; what was not leaves the queue. */
function giveUp(statement: Statement): void {
  const { socket, connection } = statement
  if (socket === undefined) {
    statement.cancel()
    return
  }
  if (socket.destroyed) return
  // Until the socket says that it is closed, the pool would go on to send by it.
  connection?.queue.remove(connection)
  socket.destroy()
}
