import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { type Environment, present } from '../environments/environment.ts'
import { unwrapForServer } from '../environments/key-copies.ts'
import { createRenewal, type Renewal } from '../environments/renewal.ts'
import { badRequest, DomainError, forbidden } from '../errors.ts'
import { loadFastestAead } from '../keys/xchacha20poly1305.ts'
import { found } from '../rows.ts'
import { beforeChange, transaction, tryToLockOrganisation } from '../transactions.ts'
import * as queries from './rekey-queries.ts'
import { inTurn, REKEY_SECONDS, takeTurns } from './rekey-turns.ts'
import { createResealer } from './resealing.ts'
import { gaveWay, sealAgain } from './sealing-again.ts'

/** What the documentation of every route that takes access away says. */
export const REKEY_HINT =
  'Whoever could open an environment may have kept its keys: `POST /v1/environments/:id/rekey` renews them.'

/** The sentence with which a request is refused where the server may not open secrets. */
export const SSE_OFF = 'Server-side encryption is off for this app.'

/**
 * Gives an environment a new seed and salt, and seals all its secrets, their versions and the overrides again, in one
 * transaction; whoever has access in the end gets a copy of the new keys. Whoever kept the old ones can open nothing that
 * is stored from now on. No secret gets another version. What could not be opened before stays as it is.
 *
 * It holds the environment's row for as long as it takes, and the organisation's only at the end; whoever waits for it
 * goes first. 404 when the actor can't open the environment, 400 where the app has server-side encryption off, 409 while
 * its keys are being renewed already, and where access to it or the environment itself is changed meanwhile, 429 beyond
 * the limits, 503 when it would take longer than `seconds`.
 */
export async function rekey(
  ctx: Context,
  actor: Actor,
  id: string,
  seconds = REKEY_SECONDS,
): Promise<Environment> {
  const { id: environmentId } = openable(
    await beforeChange(ctx, actor, () => queries.find(ctx.db, actor, id)),
  )
  await loadFastestAead()
  return await inTurn(ctx, actor, environmentId, () => {
    const until = performance.now() + seconds * 1000
    return transaction(ctx, (tx) => renew(ctx, tx, actor, environmentId, until), until + SPARE_MILLISECONDS)
  })
}

async function renew(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  id: string,
  until: number,
): Promise<Environment> {
  await takeTurns(tx, actor, id)
  await queries.stopChanges(tx, id)
  const environment = openable(await queries.lock(tx, actor, id))
  const goOn = () => requireToGoOn(tx, until)
  const renewal = createRenewal(ctx, tx, environment)
  using resealer = createResealer(unwrapForServer(ctx, environment), renewal.keys)
  const secrets = await sealAgain(tx, actor.organisation.id, id, resealer, goOn)
  await renewal.prepare()
  return await end(ctx, tx, await lockOrganisation(tx, actor, goOn), id, renewal, secrets)
}

/** What needs the organisation's lock: who has access now gets a copy of the keys. */
async function end(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  id: string,
  renewal: Renewal,
  secrets: number,
): Promise<Environment> {
  const environment = openable(await queries.lock(tx, actor, id))
  if (!can(actor, 'update', 'Environments', 'appPermissions')) {
    throw forbidden('Your role no longer allows to change environments.')
  }
  const principals = await renewal.store()
  await queries.markChanged(tx, id, ctx.clock.now())
  await record(ctx, tx, actor, {
    eventType: 'environment.keys_renewed',
    resourceId: id,
    resourceMetadata: { name: environment.name },
    appId: environment.app_id,
    environmentId: id,
    newValues: { secrets, principals },
    description: `The keys of environment "${environment.name}" were renewed.`,
  })
  return present(environment)
}

/** Waits for the organisation's lock, but never while its holder waits for this transaction. */
async function lockOrganisation(tx: Transaction, actor: Actor, goOn: () => Promise<void>): Promise<Actor> {
  for (;;) {
    // Immediately before each attempt: whoever comes to wait during it has not waited long when it ends.
    await goOn()
    const current = await tryToLockOrganisation(tx, actor)
    if (current !== null) return current
  }
}

/** 409 when somebody waits for what this transaction has locked, 503 when its time is up. */
async function requireToGoOn(tx: Transaction, until: number): Promise<void> {
  if (await queries.isWaitedFor(tx)) throw gaveWay()
  if (performance.now() > until) throw tookTooLong()
}

function openable(row: queries.RekeyedEnvironment | undefined): queries.RekeyedEnvironment {
  const environment = found(row, 'Environment')
  if (!environment.sse_enabled) throw badRequest(SSE_OFF)
  return environment
}

const tookTooLong = () =>
  new DomainError(
    503,
    'Renewing the keys of this environment takes too long, and was given up: nothing was changed. Try again when the server has less to do; environments with fewer and smaller versions of secrets take less time.',
    { 'retry-after': '60' },
  )

/** For a page that was begun in time, and for the end. */
const SPARE_MILLISECONDS = 5000
