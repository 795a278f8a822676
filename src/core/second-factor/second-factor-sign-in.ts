import type { Context } from '../../context.ts'
import { findAccount, lockAccount } from '../accounts/accounts.ts'
import type { RequestSource } from '../actor.ts'
import { DomainError } from '../errors.ts'
import { knownDevice } from '../sign-in/devices.ts'
import { type CompletedSignIn, completeSignIn, type SignInBrowser } from '../sign-in/sign-in.ts'
import { recordFailedSignIn } from '../sign-in/sign-in-audit.ts'
import { transaction } from '../transactions.ts'
import { countCode } from './code-limits.ts'
import type { CompleteSignIn } from './factor.ts'
import { isCode, requireOneFactor, useFactor } from './proof.ts'
import { guessWithTicket, noTicket, useTicket } from './tickets.ts'

/**
 * Completes a sign-in whose password was right. 404 for a ticket that is unknown, used, old or another browser's, or when
 * the password was changed meanwhile; 401 for a wrong factor; 429 beyond the limits of the ticket and of the account.
 */
export async function completeWithFactor(
  ctx: Context,
  { ticket, ...sent }: CompleteSignIn,
  { browser, deviceCookies }: SignInBrowser,
  source: RequestSource,
): Promise<CompletedSignIn> {
  requireOneFactor(sent)
  const { userId, isPassword } = await guessWithTicket(ctx, { ticket, browser })
  const account = await findAccount(ctx.db, userId)
  const passwordHash = account?.password_hash ?? null
  if (account === undefined || passwordHash === null || !isPassword(passwordHash)) throw noTicket()
  const device = knownDevice(ctx, account, deviceCookies)
  if (isCode(sent)) await countCode(ctx, userId, device === null ? null : { kind: 'device', id: device })
  const use = { purpose: 'second factor', browser, ticket } as const
  try {
    const factor = await transaction(ctx, async (tx) => {
      await lockAccount(tx, userId)
      await useTicket(tx, ticket)
      return useFactor(ctx, tx, userId, sent, use)
    })
    const proof = { method: 'password', passwordHash } as const
    const signedIn = await completeSignIn(ctx, account, proof, source, deviceCookies, factor)
    if (signedIn === null) throw noTicket()
    return signedIn
  } catch (error) {
    if (error instanceof DomainError && error.status === 401) {
      ctx.metrics.countSignIn('password', 'failed')
      const description = 'Sign-in failed: the password was right, the second factor wrong.'
      ctx.afterwards(recordFailedSignIn(ctx, account, description, source))
    }
    throw error
  }
}
