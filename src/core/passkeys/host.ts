import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import { countOf } from '../rows.ts'
import * as queries from './queries.ts'

/** How many passkeys of an account work with this host. */
export const countPasskeys = (ctx: Context, db: Queryable, userId: string): Promise<number> =>
  countOf(queries.count(db, userId, ctx.config.host))

/** Warns at the start where passkeys were made under another HOST: browsers offer them to that host alone. */
export async function warnOfForeignPasskeys(ctx: Context): Promise<void> {
  for (const { rp_id, passkeys, users } of await queries.countForeign(ctx.db, ctx.config.host)) {
    ctx.log.warn(
      { madeFor: rp_id, passkeys, users },
      `${passkeys} passkeys of ${users} people were made for ${rp_id} and can't be used at ${ctx.config.host}: ` +
        'people without another factor can sign in with a recovery code only, or after an administrator removes ' +
        'their factors. Set HOST back, or have them add new passkeys first.',
    )
  }
}
