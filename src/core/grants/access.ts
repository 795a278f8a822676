import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import type { IfMatch } from '../etags.ts'
import { found } from '../rows.ts'
import { type AccessibleApps, PRINCIPAL_NOUNS, type PrincipalRef, type SetAccess } from './grant.ts'
import { set } from './grants.ts'

/**
 * The use cases of what members, or service accounts, can access: `find` reads one of them with its apps, `present`
 * shows it without.
 */
export function accessOf<Row extends { apps: AccessibleApps }, Shown extends object>(
  type: PrincipalRef['type'],
  find: (db: Queryable, organisationId: string, id: string) => Promise<Row | undefined>,
  present: (row: Row) => Shown,
) {
  const read = async (db: Queryable, actor: Actor, id: string): Promise<Shown & { apps: AccessibleApps }> => {
    const row = found(await find(db, actor.organisation.id, id), PRINCIPAL_NOUNS[type])
    return { ...present(row), apps: row.apps }
  }
  return {
    /** What one can access; with global access that is everything. 404 when the organisation has none of this id. */
    get: (ctx: Context, actor: Actor, id: string) => read(ctx.db, actor, id),

    /** Sets the entire access of one, as `grants.set` does, and gives the new state. */
    set: (ctx: Context, actor: Actor, id: string, input: SetAccess, ifMatch: IfMatch = null) =>
      set(ctx, actor, { type, id }, input, (tx, actor) => read(tx, actor, id), ifMatch),
  }
}
