import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { type Environment, present } from '../environments/environment.ts'
import { unwrapForServer } from '../environments/key-copies.ts'
import { renewKeys } from '../environments/renewal.ts'
import { badRequest } from '../errors.ts'
import { loadFastestAead } from '../keys/xchacha20poly1305.ts'
import { found } from '../rows.ts'
import { changeOrganisation } from '../transactions.ts'
import * as queries from './rekey-queries.ts'
import { createResealer, type Resealer } from './resealing.ts'

/** What the documentation of every route that takes access away says. */
export const REKEY_HINT =
  'Whoever could open an environment may have kept its keys: `POST /v1/environments/:id/rekey` renews them.'

/** The sentence with which a request is refused where the server may not open secrets. */
export const SSE_OFF = 'Server-side encryption is off for this app.'

/** So many secrets, with their versions, are in memory at once. */
const SECRETS_AT_ONCE = 50

/**
 * Gives an environment a new seed and salt, and seals all its secrets, their versions and the overrides again, in one
 * transaction; whoever has access gets a copy of the new keys. Whoever kept the old ones can open nothing that is stored
 * from now on. No secret gets another version. What could not be opened before stays as it is. 404 when the actor can't
 * open the environment, 400 where the app has server-side encryption off.
 */
export const rekey = (ctx: Context, actor: Actor, id: string): Promise<Environment> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const environment = found(await queries.lock(tx, actor, id), 'Environment')
    if (!environment.sse_enabled) throw badRequest(SSE_OFF)
    await loadFastestAead()
    const before = unwrapForServer(ctx, environment)
    const { keys, copies } = await renewKeys(ctx, tx, environment)
    using resealer = createResealer(before, keys)
    const secrets = await sealAgain(tx, actor, environment.id, resealer)
    await queries.markChanged(tx, environment.id, ctx.clock.now())
    await record(ctx, tx, actor, {
      eventType: 'environment.keys_renewed',
      resourceId: environment.id,
      resourceMetadata: { name: environment.name },
      appId: environment.app_id,
      environmentId: environment.id,
      newValues: { secrets, principals: copies },
      description: `The keys of environment "${environment.name}" were renewed.`,
    })
    return present(environment)
  })

/** Seals everything of an environment again; gives how many secrets there are. */
async function sealAgain(
  tx: Transaction,
  actor: Actor,
  environmentId: string,
  resealer: Resealer,
): Promise<number> {
  const organisationId = actor.organisation.id
  let count = 0
  let after = queries.BEFORE_ALL
  for (;;) {
    const ids = await queries.nextIds(tx, organisationId, environmentId, after, SECRETS_AT_ONCE)
    const last = ids.at(-1)
    if (last === undefined) return count
    after = last
    const secrets = await queries.secrets(tx, ids)
    count += secrets.length
    const versions = await queries.versions(tx, ids)
    const overrides = await queries.overrides(tx, ids)
    await queries.replaceSecrets(tx, await resealer.texts(secrets))
    await queries.replaceVersions(tx, await resealer.texts(versions))
    if (overrides.length > 0) await queries.replaceOverrides(tx, await resealer.overrides(overrides))
    resealer.forget()
  }
}
