import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import {
  count,
  counterWindow,
  countWithin,
  limitError,
  type OwnCredential,
} from '../sign-in/sign-in-limits.ts'

/** Codes that one known device or session can try, and all of an account together. */
const OWN: RateLimit = { limit: 20, windowSeconds: 3600 }
const OWN_TOGETHER: RateLimit = { limit: 100, windowSeconds: 24 * 3600 }

/** Codes that can be tried for an account from anywhere else. Of a million, three are right at a time. */
const STRANGERS: readonly RateLimit[] = [
  { limit: 10, windowSeconds: 3600 },
  { limit: 50, windowSeconds: 24 * 3600 },
]

/**
 * Counts an attempt at a code before it is checked: of a device or session that the account knows, or of strangers, who
 * can't use up what the account's own have. 429 beyond the limit. RATE_LIMIT_AUTH does not switch this off: unlike a
 * password, six digits are guessed in days.
 */
export async function countCode(
  ctx: Context,
  userId: string,
  own: Readonly<{ kind: 'device' | 'session'; id: string }> | null,
): Promise<void> {
  const now = ctx.clock.now().getTime()
  if (own !== null) {
    const exceeded = await countOwn(ctx, now, own.kind, { userId, id: own.id })
    if (exceeded === null) return
    if (own.kind === 'session') throw limitError(now, TOO_MANY, exceeded)
  }
  // One after the other: what is refused within an hour must not use up the day.
  for (const rate of STRANGERS) {
    await countWithin(ctx, rate, ['code', userId, String(rate.windowSeconds)], TOO_MANY)
  }
}

const TOO_MANY = 'Too many codes were tried. Try again later.'

const countOwn = async (ctx: Context, now: number, kind: string, { userId, id }: OwnCredential) =>
  (await count(ctx, [counterWindow(ctx, OWN, now, [`code of a ${kind}`, userId, id])])) ??
  (await count(ctx, [counterWindow(ctx, OWN_TOGETHER, now, [`code of every ${kind}`, userId])]))
