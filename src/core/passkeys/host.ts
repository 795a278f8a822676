import type { Context } from '../../context.ts'
import * as queries from './queries.ts'

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
