import type { Context } from '../../context.ts'
import { type AccountRow, needsVerification } from '../accounts/account.ts'
import type { RequestSource } from '../actor.ts'
import { forbidden } from '../errors.ts'
import { recordFailedSignIn } from './sign-in-audit.ts'

/** Refuses a sign-in (403, audited) while the account's address must still be verified. */
export function requireVerifiedAddress(ctx: Context, account: AccountRow, source: RequestSource): void {
  if (!needsVerification(ctx, account)) return
  const description = 'Sign-in refused: the e-mail address is not verified.'
  ctx.afterwards(recordFailedSignIn(ctx, account, description, source))
  throw forbidden('Verify your e-mail address first, with the link that was sent to it.')
}
