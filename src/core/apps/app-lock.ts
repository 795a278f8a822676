import type { Transaction } from '../../platform/postgres/database.ts'

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

const lockId = (tx: Transaction, appId: ReturnType<Transaction>) =>
  tx`hashtextextended('keyward/app/' || ${appId}, 0)`
