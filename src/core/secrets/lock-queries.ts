import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import type { Row } from '../tables.ts'
import type { EnvironmentRow } from './queries.ts'

/**
 * Locks an environment's row; later changes of its secrets wait. Empty when the organisation has none of this id, and
 * without a wait while its keys are being renewed.
 */
export const lockEnvironment = (tx: Transaction, organisationId: string, id: string) =>
  tx<EnvironmentRow[]>`
    select id, app_id, name, public_key from environments
    where organisation_id = ${organisationId} and id = ${id} and ${takeTurn(tx, id)} for no key update`

/**
 * The public key of an environment, read without waiting for whoever is changing it, and whether its secrets can be
 * changed: a renewal of its keys, which takes long, has them wait for nothing.
 */
export const publicKeyOf = (tx: Transaction, organisationId: string, id: string) =>
  tx<(Row<'environments', 'public_key'> & { is_free: boolean })[]>`
    select public_key, ${takeTurn(tx, id)} as is_free from environments
    where organisation_id = ${organisationId} and id = ${id}`

/** Takes part in what a renewal of an environment's keys waits for; false while there is one. */
const takeTurn = (tx: Transaction, id: string) =>
  tx`pg_try_advisory_xact_lock_shared(hashtextextended(${changesOf(id)}, 0))`

/** The name of the lock that changes of an environment's secrets share, and that a renewal of its keys has alone. */
export const changesOf = (environmentId: string): string => `keyward/secrets/${environmentId.toLowerCase()}`

/** Has whoever takes the actor's access away wait for this transaction; empty when the actor has none. */
export const holdAccess = (tx: Transaction, actor: Actor, environmentId: string) =>
  tx`select 1 from environment_keys
    where principal_id = ${actor.id} and environment_id = ${environmentId} for key share`
