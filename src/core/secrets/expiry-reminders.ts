import type { Context } from '../../context.ts'
import { queueExpiryNotice, wakeNotices } from '../notices/notices.ts'
import { allows, permissionsOf } from '../permissions.ts'
import * as queries from './expiry-queries.ts'

/** People are told of an expiry so many days before it. */
export const REMINDED_DAYS = 7

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000
const LONGEST_MILLISECONDS = 30_000
/** So many secrets are looked at in one transaction; the rest comes with the next. */
const SECRETS_AT_ONCE = 10_000

/** A mail names so many environments; of the others it tells how many. */
const MOST_NAMED = 3

/**
 * Mails those who can update secrets that some expire within a week: one mail to each, which names environments and no
 * secret, and at most `EXPIRY_MAILS` to one: of what comes then, only what needs attention tells. Each expiry is told once;
 * one that is set again, or comes back with its secret, again. May run several times at once. Does nothing without a mail
 * gateway.
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
    const mayUpdate = holders.filter(({ kind, stored }) =>
      allows(permissionsOf(kind, stored), 'appPermissions', 'Secrets', 'update'),
    )
    const byUser = Map.groupBy(mayUpdate, ({ user_id }) => user_id)
    for (const [userId, told] of [...byUser].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const ids = new Set(told.map(({ environment_id }) => environment_id))
      const names = environments
        .filter(({ id }) => ids.has(id))
        .map(({ name, app_name }) => `${name} of ${app_name}`)
      await queueExpiryNotice(ctx, tx, userId, listed(names))
    }
  })
  await wakeNotices(ctx)
}

const listed = (names: readonly string[]): string => {
  const others = names.length - MOST_NAMED
  const named = names.slice(0, MOST_NAMED).join(', ')
  return others > 0 ? `${named} and ${others} ${others === 1 ? 'other' : 'others'}` : named
}
