import type { Context } from '../../context.ts'
import { recordCaller } from '../accounts/account-audit.ts'
import { conflict } from '../errors.ts'
import { queueNotice } from '../notices/notices.ts'
import type { SignedInUser } from '../sessions/session.ts'
import { changeOwnSignIn } from '../sign-in/own-change.ts'
import type { Factors, RecoveryCodes } from './factor.ts'
import { factorsOf, hasFactor } from './factors.ts'
import { renewRecoveryCodes } from './recovery-codes.ts'

/** What the caller's account has set up. */
export async function overview(ctx: Context, caller: SignedInUser): Promise<Factors> {
  const factors = await factorsOf(ctx, ctx.db, caller.userId)
  return {
    passkeys: factors.passkeys,
    passkeysOfOtherHosts: factors.foreign_passkeys,
    totp: factors.has_totp,
    recoveryCodes: factors.recovery_codes,
    required: caller.lacksRequiredFactor ?? false,
  }
}

/** Gives the caller new recovery codes; the old ones are void. 409 without a second factor. */
export const renewOwnRecoveryCodes = (ctx: Context, caller: SignedInUser): Promise<RecoveryCodes> =>
  changeOwnSignIn(ctx, caller, async (tx) => {
    const { userId } = caller
    if (!hasFactor(await factorsOf(ctx, tx, userId)))
      throw conflict('Set up a passkey or an authenticator app first.')
    const recoveryCodes = await renewRecoveryCodes(tx, userId)
    await recordCaller(ctx, tx, caller, {
      eventType: 'user.recovery_codes_renewed',
      resourceId: userId,
      description: 'New recovery codes; the old ones are void.',
    })
    await queueNotice(ctx, tx, userId, 'recovery-codes-renewed')
    return { recoveryCodes }
  })
