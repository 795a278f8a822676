import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { Account, type AccountRow, emailKey, needsVerification, presentAccount } from '../accounts/account.ts'
import { recordFailedSignIn, recordSignIn } from '../accounts/account-audit.ts'
import * as queries from '../accounts/queries.ts'
import type { RequestOrigin } from '../actor.ts'
import { forbidden, unauthenticated } from '../errors.ts'
import { Email, StrictObject, Text } from '../schema.ts'
import { SessionToken } from '../sessions/session.ts'
import * as sessions from '../sessions/sessions.ts'
import { deviceCookie, knownDevice } from './devices.ts'
import { countAttempt } from './sign-in-limits.ts'

/** The body that signs in. */
export const SignIn = StrictObject({ email: Email(), password: Text(1024) })
export type SignIn = Static<typeof SignIn>

/** What a sign-in answers. */
export const SignedIn = Type.Composite([SessionToken, Account])
export type SignedIn = Static<typeof SignedIn>

/**
 * Signs in with a password. The same 401 in the same time for an unknown address, a wrong password and an account
 * without one; 403 while the address awaits verification; 429 beyond the limits, or with too many passwords waiting.
 * Whoever succeeds gets a device cookie, with which strangers' attempts don't count against this browser.
 */
export async function signIn(
  ctx: Context,
  input: SignIn,
  origin: RequestOrigin,
  deviceCookies: readonly string[],
): Promise<{ answer: SignedIn; cookie: string; deviceCookie: string }> {
  const key = emailKey(input.email)
  const [account] = await queries.findAccount(ctx.db, key)
  const device = knownDevice(ctx, account, deviceCookies)
  const own = account && device !== null ? { userId: account.user_id, id: device } : null
  await countAttempt(ctx, key, origin.ipAddress, own)
  const passwordHash = account?.password_hash ?? null
  const isRight = await ctx.passwords.verify(passwordHash, input.password)
  if (account === undefined || passwordHash === null || !isRight) throw wrong(ctx, account, origin)
  if (needsVerification(ctx, account)) {
    void recordFailedSignIn(ctx, account, 'Sign-in refused: the e-mail address is not verified.', origin)
    throw forbidden('Verify your e-mail address first, with the link that was sent to it.')
  }
  const session = await sessions.open(ctx, account, passwordHash, origin)
  if (session === null) throw wrong(ctx, account, origin)
  await recordSignIn(ctx, account, session.id, origin)
  const { cookie, accessToken, expiresAt } = session
  return {
    answer: { accessToken, expiresAt, ...presentAccount(ctx, account) },
    cookie,
    deviceCookie: deviceCookie(ctx, account, deviceCookies),
  }
}

function wrong(ctx: Context, account: AccountRow | undefined, origin: RequestOrigin) {
  ctx.metrics.countFailedSignIn()
  if (account === undefined) {
    ctx.log.info(
      { requestId: origin.requestId, ipAddress: origin.ipAddress },
      'a sign-in to no account failed',
    )
  } else {
    void recordFailedSignIn(ctx, account, 'Sign-in failed.', origin)
  }
  return unauthenticated('The e-mail address or the password is wrong.')
}
