import type { Context } from '../../context.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import { isId } from '../id.ts'
import type { Room } from '../large-reads.ts'
import { updatePlanned } from '../secrets/changes.ts'
import { create as createSealed } from '../secrets/creation.ts'
import { countChangeIn } from '../secrets/override-limit.ts'
import { inTurnToPrepare, sizeOfCount } from '../secrets/planned-changes.ts'
import { bytesOf } from '../secrets/room.ts'
import { present } from '../secrets/sealed-secret.ts'
import type { SecretFilter, SecretRow } from '../secrets/secret.ts'
import * as secrets from '../secrets/secrets.ts'
import {
  agreementBytes,
  changeOpened,
  type NamedPlace,
  type OpenedEnvironment,
  openSecrets,
  requireKeysOf,
  withOpened,
} from './opening.ts'
import type { PlainChange, PlainNewSecret } from './plain-input.ts'
import type { PlainSecret } from './plain-secret.ts'
import { withReferences } from './referenced-secrets.ts'
import { sealChanges, sealNew } from './sealing.ts'

/** Which secrets to read, and whether references stay as they are written. */
export type PlainFilter = Readonly<{ key?: string; path?: string; tags?: readonly string[]; raw?: boolean }>

/**
 * Secrets of an environment in clear, by path and then age, with the actor's own overrides and with references resolved.
 * 404 when the actor can't open such an environment, 400 where the app has server-side encryption off, 409 for a secret
 * that can't be opened.
 */
export const list = (
  ctx: Context,
  actor: Actor,
  place: NamedPlace,
  filter: PlainFilter,
  room: Room,
): Promise<PlainSecret[]> =>
  withOpened(ctx, actor, place, async (environment) => {
    const rows = await openedRows(ctx, actor, environment, filter, room)
    return rows.map(present)
  })

/** Secrets as `list` gives them, as rows. */
export async function openedRows(
  ctx: Context,
  actor: Actor,
  environment: OpenedEnvironment,
  filter: PlainFilter,
  room: Room,
): Promise<SecretRow[]> {
  const sealed = await sealedRows(ctx, actor, environment, filter, room)
  const rows = await openSecrets(environment, sealed, room.requireWaiting)
  return filter.raw === true ? rows : await withReferences(ctx, actor, environment, rows, room)
}

/** Adds secrets that are given in clear; gives them as they are stored, in clear and with references. As sealed ones. */
export const create = (
  ctx: Context,
  actor: Actor,
  place: NamedPlace,
  added: readonly PlainNewSecret[],
): Promise<PlainSecret[]> =>
  changeOpened(ctx, actor, place, async (environment) => {
    const sealedAt = sealedPlace(environment)
    const stored = await inTurnToPrepare(ctx, actor, sealedAt, sizeOfCount(added.length), async () => {
      // Sealing takes the processor, as reading does.
      const sealed = await ctx.limitReads.run(actor, () => sealNew(environment, added))
      return await createSealed(ctx, actor, sealedAt, sealed)
    })
    return (await openSecrets(environment, stored)).map(present)
  })

/**
 * Changes secrets by what is given in clear; what is the same as before makes no version. Gives them as `create` does. As
 * changes of sealed ones.
 */
export const update = (
  ctx: Context,
  actor: Actor,
  place: NamedPlace,
  changes: readonly PlainChange[],
): Promise<PlainSecret[]> =>
  changeOpened(ctx, actor, place, async (environment) => {
    const ids = changes.map(({ id }) => id).filter(isId)
    const mayRead = can(actor, 'read', 'Secrets', 'appPermissions')
    const plan = (present: readonly SecretRow[]) => sealChanges(environment, changes, present, mayRead)
    await countChangeIn(ctx, actor, changes)
    const stored = await updatePlanned(ctx, actor, sealedPlace(environment), ids, plan)
    return (await openSecrets(environment, stored)).map(present)
  })

/** Deletes secrets; 404 for an id that the environment has no secret of, and then none is deleted. */
export const remove = (
  ctx: Context,
  actor: Actor,
  place: NamedPlace,
  ids: readonly string[],
): Promise<void> =>
  changeOpened(ctx, actor, place, ({ row }) =>
    secrets.remove(ctx, actor, { environmentId: row.id }, ids, { known: true }),
  )

/** Where sealed secrets are stored, and the key that they are sealed for. */
export const sealedPlace = ({ row }: OpenedEnvironment) => ({
  environmentId: row.id,
  publicKey: row.public_key,
})

const bytesToOpen = (rows: readonly SecretRow[]): number =>
  bytesOf(rows) +
  agreementBytes(
    rows.flatMap(({ key, value, comment, override }) => [key, value, comment, override?.value ?? '']),
  )

/** The rows that a filter names; a key is looked for as it is written, and then in capitals. */
async function sealedRows(
  ctx: Context,
  actor: Actor,
  environment: OpenedEnvironment,
  { key, path, tags }: PlainFilter,
  room: Room,
): Promise<SecretRow[]> {
  const read = async (more: SecretFilter) => {
    const filter = { ...(path !== undefined && { path }), ...(tags !== undefined && { tags }), ...more }
    const { id } = environment.row
    const { publicKey, secrets: rows } = await secrets.list(ctx, actor, id, filter, room, bytesToOpen)
    requireKeysOf(environment, publicKey)
    return rows
  }
  if (key === undefined) return await read({})
  const exact = await read({ keyDigest: environment.digest(key) })
  const capitals = key.toUpperCase()
  if (exact.length > 0 || capitals === key) return exact
  return await read({ keyDigest: environment.digest(capitals) })
}
