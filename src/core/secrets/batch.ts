import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { updateIn } from './changes.ts'
import { createIn } from './creation.ts'
import { changePlanned, type Planner } from './planned-changes.ts'
import type { Change } from './queries.ts'
import type { NewSecret, Place, SecretChange } from './secret.ts'

/** What is to be added and changed at once. */
type Batch = Readonly<{ added: readonly NewSecret[]; changes: readonly SecretChange[] }>

/**
 * Adds and changes secrets in one transaction, all or none, as planned from all secrets at a path, which the audit log is
 * told of; gives the plan. A dry run writes nothing, and is refused as the change would be.
 */
export function writeBatch<Plan extends Batch>(
  ctx: Context,
  actor: Actor,
  place: Required<Place>,
  path: string,
  plan: Planner<Plan>,
  { isDryRun }: { isDryRun: boolean },
): Promise<Plan> {
  const write = async (tx: Transaction, change: Change, planned: Plan) => {
    const { added, changes } = planned
    if (changes.length > 0) await updateIn(ctx, tx, change, changes)
    if (added.length > 0) await createIn(ctx, tx, change, added)
    return planned
  }
  return changePlanned(ctx, actor, place, { path }, plan, write, { isRead: true, isDryRun })
}
