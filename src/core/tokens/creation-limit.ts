import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import { count, counterWindow, limitError } from '../sign-in/sign-in-limits.ts'

/**
 * A token that is created and revoked leaves two audit entries, for ever: without a limit, a member without a single
 * permission could fill the disk.
 */
export const PER_MEMBER: RateLimit = { limit: 3000, windowSeconds: 3600 }

/** Counts a personal access token that a member is about to create. 429 beyond 3,000 an hour. */
export async function countCreation(ctx: Context, memberId: string): Promise<void> {
  const now = ctx.clock.now().getTime()
  const exceeded = await count(ctx, [counterWindow(ctx, PER_MEMBER, now, ['new token', memberId])])
  if (exceeded !== null) throw limitError(now, 'Too many new tokens. Try again later.', exceeded)
}
