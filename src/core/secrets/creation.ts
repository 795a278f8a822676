import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { enforce } from '../policy.ts'
import { pipelined } from '../transactions.ts'
import { requireDistinctNames, requireFreeNames } from './names.ts'
import { countChangeIn } from './override-limit.ts'
import * as overrideQueries from './override-queries.ts'
import { newOverrideValues } from './overrides.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'
import type { NewSecret, Place, SecretRow } from './secret.ts'
import { eventOf } from './secret-events.ts'
import { requireAccess } from './secrets.ts'
import { changeSecrets, storedSecrets } from './writing.ts'

/**
 * Adds secrets to an environment, all or none; gives them as they are stored, in their order, but none to an actor that
 * may not read secrets. 404 when the actor can't open the environment, 403 beyond the limit and for an override of a
 * service account, 409 when a secret of the same key is at the same path, 429 for too many changes of
 * overrides in an hour.
 */
export async function create(
  ctx: Context,
  actor: Actor,
  place: Place,
  secrets: readonly NewSecret[],
): Promise<SecretRow[]> {
  if (secrets.length === 0) {
    await requireAccess(ctx, actor, place.environmentId)
    return []
  }
  await countChangeIn(ctx, actor, secrets)
  return changeSecrets(ctx, actor, place, (tx, change) => createIn(ctx, tx, change, secrets))
}

/** `create` within a change of secrets, of at least one secret. */
export async function createIn(
  ctx: Context,
  tx: Transaction,
  change: queries.Change,
  secrets: readonly NewSecret[],
): Promise<SecretRow[]> {
  const { actor } = change
  const rows = valuesOf(secrets)
  const overrides = newOverrideValues(actor, secrets, rows)
  const present = await queries.count(tx, change.environment.id)
  enforce(policy.add, { present, added: rows.length })
  requireDistinctNames(rows)
  requireFreeNames(rows, await queries.findTaken(tx, change.environment.id, rows, []))
  const ids = rows.map(({ id }) => id)
  const refs = rows.map((row) => ({ ...row, version: 1 }))
  await pipelined(
    queries.insert(tx, change, rows).execute(),
    ...(overrides.length === 0 ? [] : [overrideQueries.put(tx, change, overrides).execute()]),
    queries.markChanged(tx, change).execute(),
    record(ctx, tx, actor, eventOf('secret.created', change.environment, refs)),
  )
  return await storedSecrets(tx, change, ids)
}

/** With ids in their order: those that are created together are listed as they came. */
function valuesOf(secrets: readonly NewSecret[]): queries.SecretValues[] {
  const ids = secrets.map(() => randomUUID()).sort()
  return secrets.map((secret, place) => ({
    id: ids[place] as string,
    path: secret.path,
    key: secret.key,
    key_digest: secret.keyDigest,
    value: secret.value,
    comment: secret.comment,
    tags: secret.tags,
    type: secret.type,
    expires_at: secret.expiresAt,
  }))
}
