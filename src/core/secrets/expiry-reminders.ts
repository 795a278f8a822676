import type { Context } from '../../context.ts'
import { queueNotice, wakeNotices } from '../notices/notices.ts'
import { allows, permissionsOf } from '../permissions.ts'
import * as queries from './expiry-queries.ts'

/** People are told of an expiry so many days before it. */
export const REMINDED_DAYS = 7

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000
const LONGEST_MILLISECONDS = 30_000
/** So many secrets are looked at in one transaction; the rest comes with the next. */
const SECRETS_AT_ONCE = 10_000

/**
 * Mails those who can update secrets that some expire within a week: one mail about each environment, which names no
 * secret. Each expiry is told once. May run several times at once. Does nothing without a mail gateway.
 */
export async function remindOfExpiry(ctx: Context): Promise<void> {
  if (ctx.config.smtp === null) return
  const before = new Date(ctx.clock.now().getTime() + REMINDED_DAYS * DAY_MILLISECONDS)
  await ctx.db.beginWithin(LONGEST_MILLISECONDS, async (tx) => {
    const environments = await queries.claimExpiring(tx, before, SECRETS_AT_ONCE)
    const holders = await queries.holders(
      tx,
      environments.map(({ id }) => id),
    )
    for (const { id, name, app_name } of environments) {
      const told = holders.filter(
        ({ environment_id, kind, stored }) =>
          environment_id === id && allows(permissionsOf(kind, stored), 'appPermissions', 'Secrets', 'update'),
      )
      for (const { user_id } of told)
        await queueNotice(ctx, tx, user_id, 'secrets-expire', `${name} of ${app_name}`)
    }
  })
  await wakeNotices(ctx)
}
