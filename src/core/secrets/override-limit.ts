import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { countWithin } from '../sign-in/sign-in-limits.ts'
import { beforeChange } from '../transactions.ts'
import type { NewOverride } from './secret.ts'

/**
 * Each change of an override leaves an audit entry, for ever: without a limit, a member who may only read secrets could
 * fill the disk.
 */
export const PER_MEMBER: RateLimit = { limit: 3000, windowSeconds: 3600 }

/**
 * Counts a request that changes the actor's own overrides, before its transaction. 429 beyond 3,000 an hour. Service
 * accounts, which have no overrides, aren't counted.
 */
export async function countChange(ctx: Context, actor: Actor): Promise<void> {
  if (actor.type === 'service_account') return
  const message = 'Too many changes of your overrides. Try again later.'
  await beforeChange(ctx, actor, () => countWithin(ctx, PER_MEMBER, ['own overrides', actor.id], message))
}

/** `countChange`, once, where any of the secrets that are to be written comes with an override. */
export async function countChangeIn(
  ctx: Context,
  actor: Actor,
  secrets: readonly Readonly<{ override?: NewOverride }>[],
): Promise<void> {
  if (secrets.some(({ override }) => override !== undefined)) await countChange(ctx, actor)
}
