import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { noteRead } from '../audit/reads.ts'
import { DomainError } from '../errors.ts'
import { updateIn } from './changes.ts'
import { createIn } from './creation.ts'
import { NameTaken } from './names.ts'
import type { Change } from './queries.ts'
import type { NewSecret, Place, SecretChange } from './secret.ts'
import { changeSecrets } from './writing.ts'

/**
 * Adds and changes secrets of an environment in one transaction, all or none; what is changed was found before. As
 * `create` and `update`, but `ChangedMeanwhile` where a secret that is to be changed is gone, or one that is to be added is
 * there. A dry run changes nothing, and is refused as the change would be.
 */
export async function createAndUpdate(
  ctx: Context,
  actor: Actor,
  place: Place,
  added: readonly NewSecret[],
  changes: readonly SecretChange[],
  { isDryRun = false } = {},
): Promise<void> {
  if (added.length + changes.length === 0) return
  const write = async (tx: Transaction, change: Change) => {
    const updated =
      changes.length === 0 ? null : await updateIn(ctx, tx, change, changes).catch(asChangedMeanwhile)
    if (added.length > 0) await createIn(ctx, tx, change, added).catch(asChangedMeanwhile)
    return updated?.unchanged ?? null
  }
  const unchanged = await changeSecrets(ctx, actor, place, write, { isDryRun })
  if (unchanged !== null) await noteRead(ctx, actor, unchanged, { inTurn: false })
}

/** 409: what was found before is no longer so. */
export class ChangedMeanwhile extends DomainError {
  constructor() {
    super(409, 'Secrets were added or deleted meanwhile. Send the request again.')
  }
}

function asChangedMeanwhile(error: unknown): never {
  const isGone = error instanceof DomainError && error.status === 404
  throw isGone || error instanceof NameTaken ? new ChangedMeanwhile() : error
}
