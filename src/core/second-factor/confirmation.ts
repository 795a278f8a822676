import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { lockAccount } from '../accounts/accounts.ts'
import type { Actor } from '../actor.ts'
import { enforce } from '../policy.ts'
import { beforeChange } from '../transactions.ts'
import { countCode } from './code-limits.ts'
import type { SentFactor } from './factor.ts'
import { factorsOf, hasFactor } from './factors.ts'
import * as policy from './policy.ts'
import { isCode, requireOneFactor, useFactor } from './proof.ts'

/**
 * Prepares to ask a signed-in member for the second factor again: 400 where several are sent, 429 beyond the limit. What
 * it gives runs in the transaction of what is confirmed, and uses the factor: 403 where the account has one and none was
 * sent, 401 for a wrong one. A passkey answers a challenge of `POST /service/auth/passkeys/options/` without a ticket.
 */
export async function confirmation(
  ctx: Context,
  actor: Actor,
  sent: SentFactor,
  browser: string,
): Promise<(tx: Transaction) => Promise<void>> {
  const { userId, credential } = actor
  const isSent = Object.values(sent).some((factor) => factor !== undefined)
  if (isSent) requireOneFactor(sent)
  // Before the transaction: an attempt counts, also where what it confirms is rolled back.
  if (userId !== null && isCode(sent)) {
    const session = { kind: 'session', id: credential.id } as const
    await beforeChange(ctx, actor, () => countCode(ctx, userId, session))
  }
  return async (tx) => {
    if (userId === null) return
    await lockAccount(tx, userId)
    const asked = hasFactor(await factorsOf(ctx, tx, userId))
    enforce(policy.confirmWithFactor, { hasFactor: asked, isSent })
    if (asked) await useFactor(ctx, tx, userId, sent, { purpose: 'sign in', browser })
  }
}
