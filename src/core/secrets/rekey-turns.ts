import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { type Actor, countedAs, shareOf } from '../actor.ts'
import { tooMany } from '../errors.ts'
import { countWithin } from '../sign-in/sign-in-limits.ts'
import * as queries from './rekey-queries.ts'
import { beingRenewed } from './writing.ts'

/** How long sealing an environment's secrets again may take. With the wait before it, it ends before connections do. */
export const REKEY_SECONDS = 45

/**
 * How often one member, or together all service accounts that it is responsible for, can have the keys of one environment
 * renewed, failed attempts included.
 */
export const REKEYS_PER_HOUR = 6

/** The environments whose keys this process renews, or is about to. */
const underWay = new Set<string>()

/**
 * Does work when it is the caller's turn: one renewal at a time in this process. 409 at once when the keys of the same
 * environment are being renewed in it, 429 when the wait was too long, and beyond the number that is allowed in an hour.
 */
export async function inTurn<T>(
  ctx: Context,
  actor: Actor,
  environmentId: string,
  work: () => Promise<T>,
): Promise<T> {
  if (underWay.has(environmentId)) throw beingRenewed()
  underWay.add(environmentId)
  try {
    return await ctx.limitRekeys.run(shareOf(actor), async () => {
      await countAttempt(ctx, actor, environmentId)
      return await work()
    })
  } finally {
    underWay.delete(environmentId)
  }
}

/**
 * Counts for the member, or for all service accounts together that it is responsible for: whoever renews too often keeps
 * nobody else from it.
 */
const countAttempt = (ctx: Context, actor: Actor, environmentId: string): Promise<void> =>
  countWithin(
    ctx,
    { limit: REKEYS_PER_HOUR, windowSeconds: 3600 },
    ['renewal of keys', ...countedAs(actor), environmentId],
    `You can renew the keys of an environment ${REKEYS_PER_HOUR} times an hour. Try again later.`,
  )

/** Takes the turns that count on every replica, until the transaction ends: 409 and 429 as `inTurn`, at once. */
export async function takeTurns(tx: Transaction, actor: Actor, environmentId: string): Promise<void> {
  if (!(await queries.takeTurn(tx, 'environment', environmentId))) throw beingRenewed()
  if (!(await queries.takeTurn(tx, 'principal', shareOf(actor)))) throw othersFirst()
}

const othersFirst = () =>
  tooMany('The keys of other environments are being renewed. Try again in a moment.', 5)
