import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { type IfMatch, requireMatch } from '../etags.ts'
import { found } from '../rows.ts'
import { normaliseName } from '../text.ts'
import { changeOrganisation } from '../transactions.ts'
import { type Organisation, type OrganisationRow, present, type UpdateOrganisation } from './organisation.ts'
import * as queries from './queries.ts'

/** The caller's organisation. */
export const get = async (ctx: Context, actor: Actor): Promise<Organisation> =>
  present(await existing(ctx.db, actor), ctx.config.plan)

/** Renames the caller's organisation; the same name writes nothing. 412 where it has changed since it was read. */
export const update = (
  ctx: Context,
  actor: Actor,
  input: UpdateOrganisation,
  ifMatch: IfMatch = null,
): Promise<Organisation> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const row = await existing(tx, actor)
    await requireMatch(ifMatch, () => present(row, ctx.config.plan))
    const name = normaliseName(input.name)
    if (name === row.name) return present(row, ctx.config.plan)
    const stored = await queries.rename(tx, row.id, name, ctx.clock.now())
    await record(ctx, tx, actor, {
      eventType: 'organisation.updated',
      resourceId: row.id,
      resourceMetadata: { name: stored.name },
      oldValues: { name: row.name },
      newValues: { name: stored.name },
      description: `Organisation renamed from "${row.name}" to "${stored.name}".`,
    })
    return present(stored, ctx.config.plan)
  })

async function existing(db: Queryable, actor: Actor): Promise<OrganisationRow> {
  const [row] = await queries.find(db, actor.organisation.id)
  return found(row, 'Organisation')
}
