import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { noteRead, noteReadByChange, type ReadEvent } from '../audit/reads.ts'
import type { Room } from '../large-reads.ts'
import { enforce } from '../policy.ts'
import { found } from '../rows.ts'
import { beforeChange } from '../transactions.ts'
import { requireFreeNames } from './names.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'
import { bytesOf } from './room.ts'
import type { SecretRow } from './secret.ts'
import { eventOf, readEventOf } from './secret-events.ts'
import { MAX_VERSIONS, present, type SecretVersion } from './version.ts'
import * as versionQueries from './version-queries.ts'
import { changeSecrets, storedSecrets } from './writing.ts'

/**
 * The versions of a secret, also of a deleted one, oldest first. With values it counts as reading the secret, as `list`
 * of secrets has it; without, no sealed text is read. 404 when the actor can't open the environment of such a secret.
 */
export async function list(
  ctx: Context,
  actor: Actor,
  secretId: string,
  withValues: boolean,
  room: Room,
): Promise<{ versions: SecretVersion[]; reading: ReadEvent | null }> {
  const environment = found(await versionQueries.findEnvironment(ctx.db, actor, secretId), 'Secret')
  if (!withValues) {
    const heads = await versionQueries.listHeads(ctx.db, environment.id, secretId, MAX_VERSIONS)
    found(heads[0], 'Secret')
    return { versions: heads.map(present), reading: null }
  }
  const rows = await room.read(
    () => versionQueries.list(ctx.db, environment.id, secretId, MAX_VERSIONS),
    bytesOf,
    () => versionQueries.storedBytes(ctx.db, environment.id, secretId),
  )
  found(rows[0], 'Secret')
  const refs = rows.map(({ secret_id, ...row }) => ({ ...row, id: secret_id }))
  const reading = readEventOf(environment, refs)
  await noteRead(ctx, actor, reading)
  return { versions: rows.map(present), reading }
}

/** What restoring gives: the secret, or only its new version to an actor that may not read secrets. */
export type Restored = Readonly<{ id: string; version: number; secret: SecretRow | null }>

/**
 * Brings a secret back to what a version of it was, as a new version; a deleted one under its old id. One that is the
 * same already stays as it is. A sealed secret stays sealed. 404 as for `list` and for an unknown version, 403 for
 * a deleted one where the actor may not create secrets, and beyond the limit, 409 when another secret has its key at its path.
 */
export async function restore(
  ctx: Context,
  actor: Actor,
  secretId: string,
  version: number,
): Promise<Restored> {
  const find = () => versionQueries.findEnvironment(ctx.db, actor, secretId)
  const environment = found(await beforeChange(ctx, actor, find), 'Secret')
  const id = secretId.toLowerCase()
  const place = { environmentId: environment.id }
  const { restored, isSame } = await changeSecrets(ctx, actor, place, async (tx, change) => {
    const newest = found(await versionQueries.findNewest(tx, change, id), 'Secret')
    enforce(policy.restore, { actor, isDeleted: newest.event === 'deleted' })
    const wanted = found(await versionQueries.find(tx, change, id, version), 'Version')
    const values = valuesOf(newest, wanted)
    await requireRoom(tx, change, newest, values)
    const isSame = newest.event !== 'deleted' && isSameContent(newest, values)
    if (!isSame) await write(ctx, tx, change, newest, values)
    const [secret = null] = await storedSecrets(tx, change, [id])
    return { restored: { id, version: newest.version + (isSame ? 0 : 1), secret }, isSame }
  })
  if (isSame && restored.secret !== null) {
    await noteReadByChange(ctx, actor, readEventOf(environment, [restored.secret]))
  }
  return restored
}

async function requireRoom(
  tx: Transaction,
  { environment }: queries.Change,
  newest: versionQueries.VersionRow,
  values: queries.SecretValues,
): Promise<void> {
  if (newest.event === 'deleted') {
    enforce(policy.add, { present: await queries.count(tx, environment.id), added: 1 })
  }
  requireFreeNames([values], await queries.findTaken(tx, environment.id, [values], [values.id]))
}

async function write(
  ctx: Context,
  tx: Transaction,
  change: queries.Change,
  newest: versionQueries.VersionRow,
  values: queries.SecretValues,
): Promise<void> {
  const version = newest.version + 1
  await queries.restore(tx, change, values, version)
  await queries.markChanged(tx, change)
  const refs = [{ ...values, version }]
  await record(ctx, tx, change.actor, eventOf('secret.restored', change.environment, refs))
}

const valuesOf = (
  newest: versionQueries.VersionRow,
  wanted: versionQueries.VersionRow,
): queries.SecretValues => ({
  id: wanted.secret_id,
  path: wanted.path,
  key: wanted.key,
  key_digest: wanted.key_digest,
  value: wanted.value,
  comment: wanted.comment,
  tags: wanted.tags,
  type: newest.type === 'sealed' ? 'sealed' : wanted.type,
  expires_at: wanted.expires_at,
})

/** Whether a change would make no version. The same key sealed again is the same key. */
export const isSameContent = (
  before: Omit<queries.SecretValues, 'id' | 'key'>,
  after: queries.SecretValues,
): boolean =>
  before.path === after.path &&
  before.key_digest === after.key_digest &&
  before.value === after.value &&
  before.comment === after.comment &&
  before.type === after.type &&
  before.expires_at?.getTime() === after.expires_at?.getTime() &&
  before.tags.length === after.tags.length &&
  before.tags.every((tag, index) => tag === after.tags[index])
