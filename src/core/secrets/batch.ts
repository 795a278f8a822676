import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { noteRead } from '../audit/reads.ts'
import { conflict, DomainError } from '../errors.ts'
import { updateIn } from './changes.ts'
import { createIn } from './creation.ts'
import type { NewSecret, Place, SecretChange } from './secret.ts'
import { changeSecrets } from './writing.ts'

/**
 * Adds and changes secrets of an environment in one transaction, all or none; what is changed was found before. As
 * `create` and `update`, but 409 where a secret that is to be changed is gone.
 */
export async function createAndUpdate(
  ctx: Context,
  actor: Actor,
  place: Place,
  added: readonly NewSecret[],
  changes: readonly SecretChange[],
): Promise<void> {
  if (added.length + changes.length === 0) return
  const unchanged = await changeSecrets(ctx, actor, place, async (tx, change) => {
    const updated = changes.length === 0 ? null : await updateIn(ctx, tx, change, changes).catch(asConflict)
    if (added.length > 0) await createIn(ctx, tx, change, added)
    return updated?.unchanged ?? null
  })
  if (unchanged !== null) await noteRead(ctx, actor, unchanged, { inTurn: false })
}

function asConflict(error: unknown): never {
  if (!(error instanceof DomainError) || error.status !== 404) throw error
  throw conflict('A secret was deleted meanwhile. Send the request again.')
}
