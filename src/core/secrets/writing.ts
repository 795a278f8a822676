import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import { shareAppOf } from '../apps/app-lock.ts'
import { conflict, DomainError, notFound } from '../errors.ts'
import { isId } from '../id.ts'
import { written } from '../rows.ts'
import { lockingTransaction, pipelined } from '../transactions.ts'
import * as locks from './lock-queries.ts'
import { pruneVersions } from './pruning.ts'
import * as queries from './queries.ts'
import { requireRoom } from './room.ts'
import { sizes } from './room-queries.ts'
import type { Place, SecretRow } from './secret.ts'

/**
 * A change of an environment's secrets: one transaction that locks the environment's row, so that changes of its secrets
 * come one after the other, and the actor's access, so that whoever takes that away waits. 404 when the actor can't open
 * the environment, 409 when its keys are no longer those that the secrets were sealed for, or those that it had when this
 * began to wait, and at once while they are being renewed, 403 when they would take too many bytes. Old versions go where
 * they take too many. A dry run gives what the change would, and leaves everything as it was.
 */
export const changeSecrets = <T>(
  ctx: Context,
  actor: Actor,
  place: Place,
  work: (tx: Transaction, change: queries.Change) => Promise<T>,
  { isDryRun = false } = {},
): Promise<T> => {
  if (!isId(place.environmentId)) throw notFound('Environment')
  const turn = { caller: actor, environmentId: place.environmentId }
  const changed = lockingTransaction(ctx, turn, async (tx, locked) => {
    // Before the lock, for which it may have to wait: that is what a client has sealed for.
    const [[before], , [environment], access, room] = await pipelined(
      locks.publicKeyOf(tx, actor.organisation.id, place.environmentId).execute(),
      shareAppOf(tx, place.environmentId).execute(),
      locks.lockEnvironment(tx, actor.organisation.id, place.environmentId).execute(),
      locks.holdAccess(tx, actor, place.environmentId).execute(),
      sizes(tx, actor, place.environmentId).execute(),
    )
    locked()
    if (before?.is_free === false && access.length > 0) throw beingRenewed()
    if (environment === undefined || access.length === 0) throw notFound('Environment')
    const sealedFor = place.publicKey ?? before?.public_key
    if (sealedFor !== environment.public_key) throw keysRenewed()
    const done = await work(tx, { actor, environment, at: ctx.clock.now() })
    const after = written(await sizes(tx, actor, environment.id))
    requireRoom(written(room), after)
    await pruneVersions(tx, environment.id, after.versions)
    if (isDryRun) throw new DryRun(done)
    return done
  })
  return changed.catch((error: unknown) => {
    if (error instanceof DryRun) return error.done as T
    throw error
  })
}

/** Thrown to undo the transaction. */
class DryRun extends Error {
  constructor(readonly done: unknown) {
    super()
  }
}

/** Has a renewal of an environment's keys wait until the transaction ends; 409 where there is one. */
export async function holdKeys(
  tx: Transaction,
  organisationId: string,
  environmentId: string,
): Promise<void> {
  const [environment] = await locks.publicKeyOf(tx, organisationId, environmentId)
  if (environment?.is_free === false) throw beingRenewed()
}

/** 409: the keys of the environment are being renewed, which may take a while. */
export const beingRenewed = () =>
  conflict('The keys of this environment are being renewed. Try again in a moment.')

/** 409: what was sealed or read before is for keys that the environment no longer has. */
export const keysRenewed = () => conflict(KEYS_RENEWED)

/** Whether an error is that of `keysRenewed`: the same work can be done again with the new keys. */
export const isKeysRenewed = (error: unknown): boolean =>
  error instanceof DomainError && error.message === KEYS_RENEWED

const KEYS_RENEWED =
  'The keys of the environment have just been renewed. Read them again, and send the request once more.'

/** Secrets as they are stored now, in the order of their ids; none for an actor that may not read secrets. */
export async function storedSecrets(
  tx: Transaction,
  { actor, environment }: queries.Change,
  ids: readonly string[],
): Promise<SecretRow[]> {
  if (!can(actor, 'read', 'Secrets', 'appPermissions')) return []
  const found = await queries.list(tx, actor, environment.id, { ids })
  const byId = new Map(found?.secrets.map((secret) => [secret.id, secret]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
