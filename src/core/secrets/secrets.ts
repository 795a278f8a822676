import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { noteRead, type ReadEvent } from '../audit/reads.ts'
import { notFound } from '../errors.ts'
import { isId } from '../id.ts'
import type { Room } from '../large-reads.ts'
import { found } from '../rows.ts'
import { beforeChange } from '../transactions.ts'
import * as queries from './queries.ts'
import { bytesOf } from './room.ts'
import { storedBytes } from './room-queries.ts'
import type { Place, SecretFilter, SecretRow } from './secret.ts'
import { eventOf, readEventOf } from './secret-events.ts'
import { changeSecrets } from './writing.ts'

/**
 * Secrets of an environment, by path and then age, with the actor's own overrides. The audit log tells of it before this
 * ends, by `reading`: whoever answers with the same again notes that again. What is done with them counts as `sizeOf` says
 * in bytes among large answers. 404 when the actor can't open the environment.
 */
export async function list(
  ctx: Context,
  actor: Actor,
  environmentId: string,
  filter: SecretFilter,
  room: Room,
  sizeOf: (secrets: readonly SecretRow[]) => number = bytesOf,
): Promise<{ publicKey: string; secrets: SecretRow[]; reading: ReadEvent }> {
  if (!isId(environmentId)) throw notFound('Environment')
  const listed = await room.read(
    async () => found(await queries.list(ctx.db, actor, environmentId, filter), 'Environment'),
    ({ secrets }) => sizeOf(secrets),
    () => storedBytes(ctx.db, actor, environmentId, filter),
  )
  const reading = readEventOf(listed.environment, listed.secrets)
  await noteRead(ctx, actor, reading)
  return { publicKey: listed.environment.public_key, secrets: listed.secrets, reading }
}

/** 404 when the actor can't open the environment. Not to be called by a read, which has its turn already. */
export async function requireAccess(ctx: Context, actor: Actor, environmentId: string): Promise<void> {
  const list = () => queries.list(ctx.db, actor, environmentId, { ids: [] })
  found(await beforeChange(ctx, actor, list), 'Environment')
}

/**
 * Deletes secrets of an environment; their versions stay. Ids that it has no secret of are ignored, or where they are to
 * be `known`, 404, and nothing is deleted. 404 when the actor can't open the environment.
 */
export const remove = (
  ctx: Context,
  actor: Actor,
  place: Place,
  ids: readonly string[],
  { known = false } = {},
): Promise<void> =>
  changeSecrets(ctx, actor, place, async (tx, change) => {
    const removed = await queries.remove(tx, change, ids.filter(isId))
    const gone = new Set(removed.map(({ id }) => id))
    const unknown = ids.find((id) => !gone.has(id.toLowerCase()))
    if (known && unknown !== undefined) throw notFound('Secret', unknown)
    if (removed.length === 0) return
    await queries.markChanged(tx, change)
    await record(ctx, tx, actor, eventOf('secret.deleted', change.environment, removed))
  })
