import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { type Actor, shareOf } from '../actor.ts'
import { DomainError } from '../errors.ts'
import { endOfChange, lockingTransaction, tryToLockOrganisation } from '../transactions.ts'

/*
 * A lock of each app, for other features, too: changes of its secrets share it, and its deletion or a new name has it
 * alone. PostgreSQL hands an advisory lock out in turn. A lock of the app's row would be shared on and on by those who come
 * later, and the deletion would never have it.
 */

/**
 * Has whoever deletes the app of an environment wait for this transaction, and waits where somebody does. Take it before
 * the environment is locked: a deletion locks both, and what changes an environment's row twice asks for its app.
 */
export const shareAppOf = (tx: Transaction, environmentId: string) =>
  tx`select pg_advisory_xact_lock_shared(${lockId(tx, tx`app_id`)}) from environments where id = ${environmentId}`

/** Waits for those who share the app; others wait until this transaction ends. */
export const lockApp = (tx: Transaction, appId: string) =>
  tx`select pg_advisory_xact_lock(${lockId(tx, tx`${appId}::uuid`)})`

/**
 * `changeOrganisation` for a change that needs an app alone: it waits for those who share the app before it locks the
 * organisation, or others would wait for them, too. One of each member waits so. Only for an app that the actor can access.
 * 503 where the organisation is locked by others for too long.
 */
export async function changeWithAppAlone<T>(
  ctx: Context,
  actor: Actor,
  appId: string,
  work: (tx: Transaction, actor: Actor) => Promise<T>,
): Promise<T> {
  const line = `apps of ${shareOf(actor)}`
  const locking = { caller: actor, environmentId: line, locksOrganisation: false, until: endOfChange(ctx) }
  let lockedAt = Infinity
  const change = async (tx: Transaction, locked: () => void) => {
    await lockApp(tx, appId)
    const current = await tryToLockOrganisation(tx, actor)
    if (current === null) return null
    locked()
    lockedAt = performance.now()
    return { value: await work(tx, current) }
  }
  try {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const done = await lockingTransaction(ctx, locking, change)
      if (done !== null) return done.value
    }
  } finally {
    const kept = Math.max(0, performance.now() - lockedAt)
    ctx.limitChanges.organisation.charge(actor, kept)
  }
  throw new DomainError(503, 'Others change the organisation at the moment. Try again in a second.', {
    'retry-after': '1',
  })
}

/** Between two attempts whoever has locked the organisation, and waits for the app, gets it. */
const MOST_ATTEMPTS = 8

const lockId = (tx: Transaction, appId: ReturnType<Transaction>) =>
  tx`hashtextextended('keyward/app/' || ${appId}, 0)`
