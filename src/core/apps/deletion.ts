import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { recordAll } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/events.ts'
import * as environmentEvents from '../environments/environment-events.ts'
import { etagOf, type IfMatch, requireMatch, takesAny } from '../etags.ts'
import { isId } from '../id.ts'
import { enforce } from '../policy.ts'
import { removeLeftovers } from '../secrets/leftovers.ts'
import { beforeChange, changeOrganisation } from '../transactions.ts'
import { type AppRow, auditValues, present } from './app.ts'
import { lockApp } from './app-lock.ts'
import { eventAbout, existing } from './apps.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** So many key copies, with as many grants, or so many overrides are deleted in a part of a second. */
const AT_ONCE = { copies: 30_000, overrides: 300_000 } as const

/**
 * Deletes an app with its environments, their keys and all access to them. 404 as for `get`, 403 when the caller can't
 * access all its environments, 412 unless `ifMatch` names it as it is. Where very many have access, or overrides, its
 * environments go in several transactions, so that other changes come in between. If one fails, or is refused because others
 * have changed the app meanwhile, what is gone stays gone, and the same request goes on from there.
 */
export async function remove(ctx: Context, actor: Actor, id: string, ifMatch: IfMatch = null): Promise<void> {
  const count = () => queries.countsByEnvironment(ctx.db, actor.organisation.id, id)
  const counts = isId(id) ? await beforeChange(ctx, actor, count) : []
  let [gone, expected] = [0, ifMatch]
  const beforeTheLast = partsOf(counts).slice(0, -1)
  for (const part of [...beforeTheLast, null]) {
    const removed = await removePart(ctx, actor, id, expected, part, gone)
    gone += removed.environments
    expected = removed.expected
  }
}

/** The ids of environments, in sets that have not much more than `AT_ONCE` together. */
function partsOf(environments: readonly { id: string; copies: number; overrides: number }[]): Set<string>[] {
  const parts = [new Set<string>()]
  let sum = 0
  for (const { id, copies, overrides } of environments) {
    const share = copies / AT_ONCE.copies + overrides / AT_ONCE.overrides
    if (sum > 0 && sum + share > 1) {
      parts.push(new Set())
      sum = 0
    }
    parts.at(-1)?.add(id)
    sum += share
  }
  return parts
}

/**
 * Deletes some environments of an app, or the app with all that are left. Tells how many, and what the next part is to expect:
 * the app as it is then, unless the request takes any.
 */
const removePart = (
  ctx: Context,
  actor: Actor,
  id: string,
  ifMatch: IfMatch,
  part: ReadonlySet<string> | null,
  goneBefore: number,
): Promise<{ environments: number; expected: IfMatch }> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const row = await existing(tx, actor, id)
    const environments = await queries.allEnvironments(tx, actor.organisation.id, row.id)
    enforce(policy.remove, { actor, hiddenEnvironments: environments.length - row.environments.length })
    await requireMatch(ifMatch, () => present(row))
    const some = part === null ? environments : environments.filter(({ id }) => part.has(id))
    const ids = some.map(({ id }) => id)
    await lockApp(tx, row.id)
    await (part === null ? queries.remove(tx, row.id) : queries.removeEnvironments(tx, ids))
    await removeLeftovers(tx)
    await recordAll(ctx, tx, actor, [
      ...(part === null ? [appDeleted(row, goneBefore + some.length)] : []),
      ...some.map((environment) => environmentEvents.deleted(row, environment)),
    ])
    const expected =
      part === null || takesAny(ifMatch)
        ? ifMatch
        : etagOf(JSON.stringify(present(await existing(tx, actor, id))))
    return { environments: some.length, expected }
  })

const appDeleted = (row: AppRow, environments: number): AuditEvent => ({
  eventType: 'app.deleted',
  ...eventAbout(row),
  oldValues: { ...auditValues(row), environments },
  description: `App "${row.name}" deleted.`,
})
