import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { noteReadByChange, type ReadEvent } from '../audit/reads.ts'
import { notFound } from '../errors.ts'
import { isId } from '../id.ts'
import { enforce } from '../policy.ts'
import { pipelined } from '../transactions.ts'
import { requireDistinctNames, requireFreeNames } from './names.ts'
import { countChangeIn } from './override-limit.ts'
import * as overrideQueries from './override-queries.ts'
import { changedOverrideValues } from './overrides.ts'
import { changePlanned, type Planner } from './planned-changes.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'
import type { Place, SecretChange, SecretRow } from './secret.ts'
import { eventOf, readEventOf } from './secret-events.ts'
import { requireAccess } from './secrets.ts'
import { isSameContent } from './versions.ts'
import { changeSecrets, storedSecrets } from './writing.ts'

/**
 * Changes secrets of an environment, all or none; what a change leaves out stays, and what changes nothing makes no
 * version. Gives them as `create` does. 404 when the actor can't open the environment and for an id that it has no secret
 * of, 403 for a sealed secret that would be another type and for an override of a service account, 409 as `create`,
 * 429 for too many changes of overrides in an hour.
 */
export async function update(
  ctx: Context,
  actor: Actor,
  place: Place,
  changes: readonly SecretChange[],
): Promise<SecretRow[]> {
  if (changes.length === 0) {
    await requireAccess(ctx, actor, place.environmentId)
    return []
  }
  await countChangeIn(ctx, actor, changes)
  const { stored, unchanged } = await changeSecrets(ctx, actor, place, (tx, change) =>
    updateIn(ctx, tx, change, changes),
  )
  // Whoever sends a change that changes nothing gets to read the secret.
  if (unchanged !== null) await noteReadByChange(ctx, actor, unchanged)
  return stored
}

/** As `update`, where what is to be written depends on what the secrets with these ids are. */
export async function updatePlanned(
  ctx: Context,
  actor: Actor,
  place: Required<Place>,
  ids: readonly string[],
  plan: Planner<SecretChange[]>,
): Promise<SecretRow[]> {
  const { stored, unchanged } = await changePlanned(ctx, actor, place, { ids }, plan, (tx, change, changes) =>
    updateIn(ctx, tx, change, changes),
  )
  if (unchanged !== null) await noteReadByChange(ctx, actor, unchanged)
  return stored
}

/** `update` within a change of secrets; `unchanged` is what the audit log has to be told was read, after the commit. */
export async function updateIn(
  ctx: Context,
  tx: Transaction,
  change: queries.Change,
  changes: readonly SecretChange[],
): Promise<{ stored: SecretRow[]; unchanged: ReadEvent | null }> {
  const pairs = await pairsOf(tx, change, changes)
  const overrides = changedOverrideValues(pairs)
  const rows = await changedRows(tx, change, pairs)
  const changedIds = new Set(rows.map(({ id }) => id))
  await pipelined(
    ...(rows.length === 0
      ? []
      : [queries.update(tx, change, rows).execute(), queries.markChanged(tx, change).execute()]),
    ...(overrides.length === 0 ? [] : [overrideQueries.put(tx, change, overrides).execute()]),
  )
  // One entry a request: whatever else it changes, it names the secrets whose override changed, too.
  const named = new Set([...changedIds, ...overrides.map(({ secret_id }) => secret_id)])
  if (named.size > 0) {
    const refs = pairs
      .filter(({ row }) => named.has(row.id))
      .map(({ row, after }) => (changedIds.has(row.id) ? nextOf(row, after) : row))
    const event = rows.length > 0 ? 'secret.updated' : 'secret.override_changed'
    await record(ctx, tx, change.actor, eventOf(event, change.environment, refs))
  }
  const ids = pairs.map(({ row }) => row.id)
  const stored = await storedSecrets(tx, change, ids)
  const unchanged = stored.filter(({ id }) => !changedIds.has(id))
  return {
    stored,
    unchanged: unchanged.length === 0 ? null : readEventOf(change.environment, unchanged),
  }
}

/** A secret as it is, what is to change, and what it is to be. */
export type Pair = Readonly<{ row: SecretRow; change: SecretChange; after: queries.SecretValues }>

async function pairsOf(
  tx: Transaction,
  { actor, environment }: queries.Change,
  changes: readonly SecretChange[],
): Promise<Pair[]> {
  const ids = changes.map(({ id }) => id).filter(isId)
  const found = await queries.list(tx, actor, environment.id, { ids })
  const byId = new Map(found?.secrets.map((secret) => [secret.id, secret]))
  // Rules first: a missing id is looked for only once they allow the rest.
  for (const { id, type } of changes) {
    const before = byId.get(id.toLowerCase())?.type
    if (before !== undefined && type !== undefined) enforce(policy.changeType, { before, after: type })
  }
  if (changes.some(({ override }) => override !== undefined)) enforce(policy.override, { actor })
  return changes.map((change) => {
    const row = byId.get(change.id.toLowerCase())
    if (row === undefined) throw notFound('Secret', change.id)
    return { row, change, after: valuesAfter(row, change) }
  })
}

/** What has to be written; 409 when a name is taken. */
async function changedRows(
  tx: Transaction,
  { environment }: queries.Change,
  pairs: readonly Pair[],
): Promise<queries.SecretValues[]> {
  const after = pairs.map((pair) => pair.after)
  requireDistinctNames(after)
  const isRenamed = ({ row, after }: Pair) => row.path !== after.path || row.key_digest !== after.key_digest
  if (pairs.some(isRenamed)) {
    const ids = after.map(({ id }) => id)
    requireFreeNames(after, await queries.findTaken(tx, environment.id, after, ids))
  }
  return pairs.filter((pair) => !isSameContent(pair.row, pair.after)).map((pair) => pair.after)
}

function valuesAfter(row: SecretRow, change: SecretChange): queries.SecretValues {
  // The same key sealed again is the same key.
  const isSameKey = change.keyDigest === undefined || change.keyDigest === row.key_digest
  return {
    id: row.id,
    path: change.path ?? row.path,
    key: isSameKey ? row.key : (change.key ?? row.key),
    key_digest: change.keyDigest ?? row.key_digest,
    value: change.value ?? row.value,
    comment: change.comment ?? row.comment,
    tags: change.tags ?? row.tags,
    type: change.type ?? row.type,
    expires_at: change.expiresAt === undefined ? row.expires_at : change.expiresAt,
  }
}

const nextOf = (row: SecretRow, { path, type }: queries.SecretValues) => ({
  id: row.id,
  path,
  type,
  version: row.version + 1,
})
