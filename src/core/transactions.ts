import type { Context } from '../context.ts'
import type { Transaction } from '../platform/postgres/database.ts'
import type { Actor } from './actor.ts'
import { errorForConstraint } from './constraints.ts'
import { unauthenticated } from './errors.ts'
import { type Permissions, permissionsOf, type RoleKind } from './permissions.ts'

/**
 * One transaction, which ends `until` then (of `performance.now()`), or when its own time is over. A rule that the
 * database enforced comes out as the same refusal that the rules in core raise.
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

/**
 * One transaction that takes an organisation's row. Those at once are limited, since they may all wait for one row;
 * throws `Busy` when its turn does not come. Never within another: it would wait for itself. The wait for its turn is
 * part of the time that it has.
 */
export const lockingTransaction = <T>(ctx: Context, work: (tx: Transaction) => Promise<T>): Promise<T> => {
  const until = endOfChange(ctx)
  return ctx.limitChanges(() => transaction(ctx, work, until))
}

/**
 * A change of the actor's organisation: one transaction that first takes the organisation's row, so that changes come
 * one after the other, and then sees the actor as it stands now (401 when it was removed meanwhile).
 */
export const changeOrganisation = <T>(
  ctx: Context,
  actor: Actor,
  work: (tx: Transaction, actor: Actor) => Promise<T>,
): Promise<T> =>
  lockingTransaction(ctx, async (tx) => {
    // In this order: the role is read once the lock is held.
    const lock = lockOrganisation(tx, actor.organisation.id).execute()
    const [, rows] = await pipelined(lock, currentRole(tx, actor).execute())
    const row = rows[0]
    if (row === undefined) throw unauthenticated()
    const { stored, ...role } = row
    return work(tx, { ...actor, role: { ...role, permissions: permissionsOf(role.kind, stored) } })
  })

/**
 * Sends statements that do not depend on each other without waiting in between, in no certain order, and waits for all
 * of them, also when one has failed: nothing of a transaction may be under way when it is rolled back.
 */
export async function pipelined<T extends readonly unknown[]>(
  ...work: { [K in keyof T]: PromiseLike<T[K]> }
): Promise<T> {
  const outcomes = await Promise.allSettled(work)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as unknown as T
}

/** Takes the organisation's row: the one lock, and the first, of every change to it. */
export const lockOrganisation = (tx: Transaction, organisationId: string) =>
  tx`select 1 from organisations where id = ${organisationId} for no key update`

const endOfChange = (ctx: Context): number => performance.now() + ctx.db.deadlines.transactionMilliseconds

const currentRole = (tx: Transaction, actor: Actor) =>
  tx<{ id: string; kind: RoleKind; name: string; stored: Permissions | null }[]>`
    select r.id, r.kind, r.name, r.permissions as stored
    from principals p join roles r on r.id = p.role_id
    where p.id = ${actor.id} and p.organisation_id = ${actor.organisation.id}`
