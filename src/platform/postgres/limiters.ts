import { availableParallelism } from 'node:os'
import { createJointLimit } from '../joint-limit.ts'
import { createKeyedLimiter, type KeyedLimiter } from '../keyed-limiter.ts'
import { createFairLimiter, type FairLimiter, TooBusyError } from '../limiter.ts'
import { PASSWORD_QUEUE } from '../password-turns.ts'
import type { Database } from './database.ts'

/**
 * Limits changes; before, those that lock the organisation's row, or that of the same environment, and before these, those
 * that take long to prepare.
 */
export type ChangeLimiter = FairLimiter &
  Readonly<{ organisation: FairLimiter; environment: KeyedLimiter; preparation: KeyedLimiter }>

/**
 * Limits the transactions that wait for locks to half of the pool, and two less for each share, so that reads and other
 * callers always get a connection. Those that lock the same row wait here, where callers take turns, and not in PostgreSQL:
 * of one environment's one runs at a time, of the organisation's two, so that one begins when the other ends. A share with as
 * many as it may run gets no turn of a row, which it would keep from others while it waits for its own. Each share prepares
 * one change of an environment at a time, and a large one beside it, until that has ended: others would wait longer for it.
 * Up to 200 of a caller wait, each at most 4 s, which is shorter than the lock timeout.
 */
export function createChangeLimiter(db: Database): ChangeLimiter {
  const half = partOf(db, 2)
  const together = createJointLimit(Math.max(1, half - 2))
  const waiting = {
    queueEach: 200,
    waitMilliseconds: Math.min(4000, db.deadlines.transactionMilliseconds),
  }
  return {
    ...createFairLimiter({ ...waiting, concurrency: half, concurrencyEach: half }),
    organisation: createFairLimiter({ ...waiting, together, concurrency: 2, concurrencyEach: 2 }),
    environment: createKeyedLimiter({ ...waiting, together, concurrency: 1, concurrencyEach: 1 }),
    preparation: createKeyedLimiter({ ...waiting, concurrency: Infinity, concurrencyEach: 1 }),
  }
}

/**
 * Limits each share's reads to half of the pool, those of all shares that have read much at once of late to a third, and
 * those of all callers so that a connection is left to find out who calls. Shares of which a read took long of late, longer
 * than beside a password that is hashed on Deno, have one at a time, and half of the pool together. Up to 2,000 of a caller
 * wait, each at most as long as one statement may take.
 */
export const createReadLimiter = (db: Database): FairLimiter =>
  createFairLimiter({
    concurrency: Math.max(1, db.options.max - partOf(db, 5)),
    concurrencyEach: partOf(db, 2),
    concurrencyHeavy: partOf(db, 3),
    heavyMilliseconds: 2,
    concurrencySlow: partOf(db, 2),
    slowMilliseconds: 250,
    queueEach: 2000,
    waitMilliseconds: Math.min(5000, db.deadlines.statementMilliseconds),
  })

/**
 * Limits reads that look through much of the database to two at a time and one of a share: others would wait for their
 * statements, and for the processor. Up to 200 of a caller wait, each at most as long as one statement may take.
 */
export const createScanLimiter = (db: Database): FairLimiter =>
  createFairLimiter({
    concurrency: 2,
    concurrencyEach: 1,
    queueEach: 200,
    waitMilliseconds: Math.min(5000, db.deadlines.statementMilliseconds),
  })

/**
 * Limits work that takes much memory, such as making an answer of many MiB, to two at a time and one of a share, and one of
 * all shares that of late have had much of it at once. After each, its place stays empty for as long as it took, a second at
 * most: otherwise others would wait for the processor while such work is asked for without end. Up to 20 of a caller wait, each
 * at most 4 s.
 */
export const createLargeReadLimiter = (): FairLimiter =>
  createFairLimiter({
    concurrency: 2,
    concurrencyEach: 1,
    heavyMilliseconds: 500,
    pauseMilliseconds: 1000,
    queueEach: 20,
    waitMilliseconds: 4000,
  })

/** Thrown where others have their keys renewed for too long. */
export class RenewalsBusy extends TooBusyError {
  override readonly name = 'RenewalsBusy'
  constructor() {
    super('The keys of other environments are being renewed. Try again in a moment.')
  }
}

/**
 * Limits work that keeps a connection for up to a minute to one at a time, and no second one of a caller. One of each
 * other caller waits, at most 8 s, without a connection.
 */
export const createRekeyLimiter = (): FairLimiter =>
  createFairLimiter({
    concurrency: 1,
    concurrencyEach: 1,
    queueEach: 1,
    waitMilliseconds: 8000,
    busyError: () => new RenewalsBusy(),
  })

/**
 * Limits requests that anyone may send, such as sign-ins, to more than ever have a password hashed or wait for that: the
 * statements of the others delay nobody noticeably. Up to 10,000 of a network wait, each at most as long as one statement
 * may take.
 */
export const createPublicLimiter = (db: Database): FairLimiter =>
  createFairLimiter({
    concurrency: PUBLIC_AT_ONCE,
    concurrencyEach: PUBLIC_AT_ONCE - 1,
    queueEach: 10_000,
    waitMilliseconds: Math.min(5000, db.deadlines.statementMilliseconds),
  })

/**
 * Limits requests that need no credentials, such as sign-ins, of browsers on which a member has signed in before. Strangers
 * have another limiter, so they keep no member out, however many networks they come from. All browsers of an account have one
 * share. Up to 100 requests of a browser wait.
 */
export const createDeviceLimiter = (db: Database): FairLimiter =>
  createFairLimiter({
    concurrency: PUBLIC_AT_ONCE,
    concurrencyEach: 8,
    queueEach: 100,
    waitMilliseconds: Math.min(5000, db.deadlines.statementMilliseconds),
  })

/** With room for both bounded lines of passwords, and for 20 that wait for none. */
const PUBLIC_AT_ONCE = 2 * (availableParallelism() + PASSWORD_QUEUE) + 20

/**
 * Limits the writes that no response depends on, such as the audit entry of a refusal, to a fifth of the pool and one for
 * each share. Up to 500 of a caller wait, each at most 4 s.
 */
export const createSideWriteLimiter = (db: Database): FairLimiter =>
  createFairLimiter({
    concurrency: partOf(db, 5),
    concurrencyEach: 1,
    queueEach: 500,
    waitMilliseconds: Math.min(4000, db.deadlines.transactionMilliseconds),
  })

/** A part of the pool's connections, at least one. */
const partOf = (db: Database, parts: number): number => Math.max(1, Math.floor(db.options.max / parts))
