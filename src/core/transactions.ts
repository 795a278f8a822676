import type { Context } from '../context.ts'
import type { Transaction } from '../platform/postgres/database.ts'
import type { Sharer } from '../platform/turn-queues.ts'
import { type Actor, type Caller, inAnotherShare, sharerOf } from './actor.ts'
import { errorForConstraint } from './constraints.ts'
import { tooMuchUnread, unauthenticated } from './errors.ts'
import { type Permissions, permissionsOf } from './permissions.ts'
import type { Row } from './tables.ts'

/**
 * One transaction, which must end before `until` (of `performance.now()`). A violated constraint of the database is thrown
 * as the same error that the rules in core throw.
 */
export async function transaction<T>(
  ctx: Context,
  work: (tx: Transaction) => Promise<T>,
  until = endOfChange(ctx),
): Promise<T> {
  try {
    return await ctx.db.beginWithin(until - performance.now(), work)
  } catch (error) {
    throw errorForConstraint(error) ?? error
  }
}

/** One transaction of the worker: no request waits for it, and there may be much to do, so it may take half a minute. */
export const patientTransaction = <T>(ctx: Context, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  ctx.db.beginWithin(PATIENCE_MILLISECONDS, async (tx) => {
    await tx`select set_config('statement_timeout', ${String(PATIENCE_MILLISECONDS)}, true)`
    return await work(tx)
  })

const PATIENCE_MILLISECONDS = 30_000

/** Whose change it is, and the rows that it locks. */
type Locking = Readonly<{
  caller: Sharer
  environmentId?: string | undefined
  locksOrganisation?: boolean
  /** When it must have ended, of `performance.now()`: as any change unless told. */
  until?: number
}>

/**
 * One transaction that locks the row of an environment, or the organisation's, or both. Limited in number, because all may
 * wait for one row, and callers take turns; the time from `locked()` to the end counts as theirs, and where it locks both,
 * that for which it keeps the environment's. Throws `TooBusyError` after the wait, which is part of the transaction's time, and
 * 503 where the caller leaves large answers unread. Must not be nested: deadlock.
 */
export const lockingTransaction = <T>(
  ctx: Context,
  {
    caller,
    environmentId,
    locksOrganisation = environmentId === undefined,
    until = endOfChange(ctx),
  }: Locking,
  work: (tx: Transaction, locked: () => void) => Promise<T>,
): Promise<T> => {
  const { limitChanges } = ctx
  let lockedAt = Infinity
  const locked = () => {
    lockedAt = performance.now()
  }
  const turn = { used: () => Math.max(0, performance.now() - lockedAt), until }
  const change = async () => {
    if (ctx.unread.isUsedUp(caller)) throw tooMuchUnread()
    return await limitChanges.run(caller, () => transaction(ctx, (tx) => work(tx, locked), until), turn)
  }
  const { organisation, environment } = limitChanges
  if (environmentId === undefined) return organisation.run(caller, change, turn)
  const line = environmentId.toLowerCase()
  if (!locksOrganisation) return environment.run(line, caller, change, turn)
  // Others wait for the environment all that time. And it must not be for changes of the caller's own.
  const inOrganisation = () => organisation.run(inAnotherShare(caller, 'holder'), change, turn)
  return environment.run(line, caller, inOrganisation, { until })
}

/**
 * Reads or counts something before a change's transaction, in the caller's turn to read: otherwise one caller could fill the
 * pool. Not to be called by a read, which has its turn already: deadlock.
 */
export const beforeChange = <T>(ctx: Context, caller: Caller, work: () => PromiseLike<T>): Promise<T> =>
  ctx.limitReads.run(sharerOf(caller), async () => await work())

/**
 * One transaction of a caller that locks only rows of its own: one of its reads, as far as connections are concerned. Must
 * not be nested, nor be called by a read: deadlock.
 */
export const ownTransaction = <T>(
  ctx: Context,
  caller: Caller,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> => {
  const until = endOfChange(ctx)
  return ctx.limitReads.run(sharerOf(caller), () => transaction(ctx, work, until))
}

/**
 * A change of the actor's organisation: one transaction that first locks the organisation's row, so that changes run one
 * after the other, and then reads the actor again (401 when it was removed, or its token or session revoked, meanwhile; 403
 * when its role allows the request no longer). `work` gets that actor: its
 * parameter shadows the one of the request on purpose. With an environment, whose row it locks too, it waits in line with the
 * changes of its secrets first: whoever waited for these with the organisation locked would keep everybody waiting.
 */
export const changeOrganisation = <T>(
  ctx: Context,
  actor: Actor,
  work: (tx: Transaction, actor: Actor) => Promise<T>,
  environmentId?: string,
): Promise<T> => readAndChangeOrganisation(ctx, actor, async () => {}, work, environmentId)

/**
 * `changeOrganisation` for work that begins with reads which don't depend on the actor's role: `read` sends them behind
 * the lock without waiting for it, so that they are read under it and take no round trip of their own.
 */
export const readAndChangeOrganisation = <Found, T>(
  ctx: Context,
  actor: Actor,
  read: (tx: Transaction) => Promise<Found>,
  work: (tx: Transaction, actor: Actor, found: Found) => Promise<T>,
  environmentId?: string,
): Promise<T> =>
  lockingTransaction(ctx, { caller: actor, environmentId, locksOrganisation: true }, async (tx, locked) => {
    // Order matters: the role is read under the lock.
    const lock = lockOrganisation(tx, actor.organisation.id).execute().then(locked)
    const [, rows, found] = await pipelined(lock, currentRole(tx, actor).execute(), read(tx))
    return work(tx, actorWith(actor, rows), found)
  })

/**
 * Locks the organisation's row for the end of a transaction that holds other rows already, and reads the actor again (401
 * when it was removed). It waits too short a time for a deadlock to be looked for, even where the holder waits for this
 * transaction: null when it was in vain, and what was locked before is still locked.
 */
export async function tryToLockOrganisation(tx: Transaction, actor: Actor): Promise<Actor | null> {
  const isLocked = await tx
    .savepoint(async (tx) => {
      await waitAtMost(tx, SHORT_WAIT_MILLISECONDS)
      await lockOrganisation(tx, actor.organisation.id)
      return true
    })
    .catch((error) => {
      if ((error as { code?: string }).code === LOCK_TIMEOUT) return false
      throw error
    })
  return isLocked ? actorWith(actor, await currentRole(tx, actor)) : null
}

/**
 * Has a new name wait for changes of secrets a second at most: they lock what it changes, and whoever waits for them has
 * locked the organisation.
 */
export const waitAsHolder = (tx: Transaction) => waitAtMost(tx, 1000)

const waitAtMost = (tx: Transaction, milliseconds: number) =>
  tx`select set_config('lock_timeout', ${`${milliseconds}ms`}, true)`

/** Less than half of PostgreSQL's `deadlock_timeout`. */
const SHORT_WAIT_MILLISECONDS = 400
const LOCK_TIMEOUT = '55P03'

/** A change that an operator makes to the organisation, under the lock of `changeOrganisation`. */
export const changeByOperator = <T>(
  ctx: Context,
  organisationId: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> =>
  lockingTransaction(ctx, { caller: 'operator' }, async (tx) => {
    await lockOrganisation(tx, organisationId)
    return work(tx)
  })

/**
 * Runs independent statements concurrently. Waits for all even if one fails, because no statement may be running at
 * rollback.
 */
export async function pipelined<T extends readonly unknown[]>(
  ...work: { [K in keyof T]: PromiseLike<T[K]> }
): Promise<T> {
  const outcomes = await Promise.allSettled(work)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as unknown as T
}

/** Locks the organisation's row: the first and only lock of every change to it. */
export const lockOrganisation = (tx: Transaction, organisationId: string) =>
  tx`select 1 from organisations where id = ${organisationId} for no key update`

/** When a change that begins now must have ended, of `performance.now()`. */
export const endOfChange = (ctx: Context): number =>
  performance.now() + ctx.db.deadlines.transactionMilliseconds

type CurrentRole = Row<'roles', 'id' | 'kind' | 'name'> & { stored: Permissions | null }

/** The actor with the role that was read under the lock; 401 when there is none any more, 403 when it may not. */
function actorWith(actor: Actor, [row]: readonly CurrentRole[]): Actor {
  if (row === undefined) throw unauthenticated()
  const { stored, ...role } = row
  const current = { ...actor, role: { ...role, permissions: permissionsOf(role.kind, stored) } }
  actor.checkAgain?.(current)
  return current
}

/** The actor's role; nothing where it was removed, or its token or session revoked. */
const currentRole = (tx: Transaction, { credential, ...actor }: Actor) =>
  tx<CurrentRole[]>`
    select r.id, r.kind, r.name, r.permissions as stored
    from principals p join roles r on r.id = p.role_id
    where p.id = ${actor.id} and p.organisation_id = ${actor.organisation.id}
      and exists (
        select 1 from ${credential.kind === 'token' ? tx`tokens` : tx`sessions`} c where c.id = ${credential.id})`
