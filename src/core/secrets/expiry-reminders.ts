import { randomInt } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { queueExpiryNotices, wakeNotices } from '../notices/notices.ts'
import { allows, permissionsOf } from '../permissions.ts'
import * as queries from './expiry-queries.ts'

/** People are told of an expiry so many days before it. */
export const REMINDED_DAYS = 7
/** What expired longer ago is no news: whoever sets such an expiry, or sets mail up, starts no mails about it. */
export const FORGOTTEN_DAYS = 30

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000
/** A transaction holds the secrets that it marks until all mails about them are queued: no longer than this. */
const LONGEST_MILLISECONDS = 30_000
/** A run starts no further transaction after so long; its job may take 5 minutes. */
const RUN_MILLISECONDS = 200_000

/** A transaction takes another environment until it has so many, or secrets of them so many. */
const ENVIRONMENTS_AT_ONCE = 500
const SECRETS_AT_ONCE = 20_000
/** So many of one environment, more than it may have: of an older one that has more, the rest is told of an hour later. */
const SECRETS_OF_ONE = 10_000

/** A mail names so many environments; of the others it tells how many. */
const MOST_NAMED = 3

/**
 * Mails those who can update secrets that some expire within a week, or expired within a month: one mail to each, or a few
 * where very many come at once, which name environments and no secret, and at most `EXPIRY_MAILS` to one: of what comes
 * then, only what needs attention tells. Each expiry is told once; one that is set again, or comes back with its secret,
 * again. A run comes to every environment once, however much is set in others meanwhile. May run several times at once.
 * Does nothing without a mail gateway.
 */
export async function remindOfExpiry(ctx: Context): Promise<void> {
  if (ctx.config.smtp === null) return
  const now = ctx.clock.now().getTime()
  const expiries = {
    after: new Date(now - FORGOTTEN_DAYS * DAY_MILLISECONDS),
    until: new Date(now + REMINDED_DAYS * DAY_MILLISECONDS),
  }
  const found = await queries.environmentsToTell(ctx.db, expiries)
  const left = fromAnywhere(found)
  const end = performance.now() + RUN_MILLISECONDS
  while (left.length > 0 && performance.now() < end) {
    await ctx.db.beginWithin(LONGEST_MILLISECONDS, async (tx) => {
      const claimed = await claimSome(tx, left, expiries)
      const inOrder = found.filter((environment) => claimed.has(environment))
      await tell(ctx, tx, inOrder)
    })
    await wakeNotices(ctx)
  }
}

/** The same list from a random place on, and round: where a run can't come to all, no environment is always the last. */
function fromAnywhere<T>(list: readonly T[]): T[] {
  const start = randomInt(Math.max(1, list.length))
  return [...list.slice(start), ...list.slice(0, start)]
}

/** Takes environments from those that are left until one transaction has enough; gives those that have something to tell. */
async function claimSome(
  tx: Transaction,
  left: queries.ExpiringEnvironment[],
  expiries: queries.Expiries,
): Promise<Set<queries.ExpiringEnvironment>> {
  const claimed = new Set<queries.ExpiringEnvironment>()
  let secrets = 0
  while (claimed.size < ENVIRONMENTS_AT_ONCE && secrets < SECRETS_AT_ONCE) {
    const environment = left.shift()
    if (environment === undefined) break
    const count = await queries.claimExpiring(tx, environment.id, expiries, SECRETS_OF_ONE)
    if (count > 0) claimed.add(environment)
    secrets += count
  }
  return claimed
}

async function tell(
  ctx: Context,
  tx: Transaction,
  environments: readonly queries.ExpiringEnvironment[],
): Promise<void> {
  const names = new Map(environments.map(({ id, name, app_name }) => [id, `${name} of ${app_name}`]))
  const holders = await queries.holders(tx, [...names.keys()], MOST_NAMED)
  const told = holders.filter(({ kind, stored }) =>
    allows(permissionsOf(kind, stored), 'appPermissions', 'Secrets', 'update'),
  )
  const notices = told.map(({ user_id, first_ids, environments: all }) => {
    const named = first_ids.map((id) => names.get(id)).join(', ')
    return { userId: user_id, environments: withOthers(named, all - first_ids.length) }
  })
  await queueExpiryNotices(ctx, tx, notices)
}

const withOthers = (named: string, others: number): string =>
  others > 0 ? `${named} and ${others} ${others === 1 ? 'other' : 'others'}` : named
