import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import { countWithin } from '../sign-in/sign-in-limits.ts'

/**
 * A token that is created and revoked leaves two audit entries, for ever: without a limit, a member without a single
 * permission could fill the disk.
 */
export const PER_MEMBER: RateLimit = { limit: 3000, windowSeconds: 3600 }

/** Counts a personal access token that a member is about to create. 429 beyond 3,000 an hour. */
export const countCreation = (ctx: Context, memberId: string): Promise<void> =>
  countWithin(ctx, PER_MEMBER, ['new token', memberId], 'Too many new tokens. Try again later.')
