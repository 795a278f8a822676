import type { Context } from '../../context.ts'
import type { AccountRow } from '../accounts/account.ts'
import { findAccount, lockAccount } from '../accounts/accounts.ts'
import type { RequestSource } from '../actor.ts'
import { unauthenticated } from '../errors.ts'
import { logRepeated } from '../repeated-lines.ts'
import { findTicket } from '../second-factor/tickets.ts'
import { type CompletedSignIn, completeSignIn, type SignInBrowser } from '../sign-in/sign-in.ts'
import { recordFailedSignIn } from '../sign-in/sign-in-audit.ts'
import { countPasskeySignIn } from '../sign-in/sign-in-limits.ts'
import { countingFailures } from '../sign-in/sign-in-metrics.ts'
import { requireVerifiedAddress } from '../sign-in/verified-address.ts'
import { transaction } from '../transactions.ts'
import { type CheckedAssertion, checkAssertion, useAssertion } from './assertions.ts'
import { CHALLENGE_SECONDS, newChallenge } from './challenges.ts'
import type { AssertionOptions, PasskeySignIn, RequestAssertion } from './passkey.ts'
import { describePasskeys } from './passkeys.ts'

/**
 * A challenge for this browser. Without a ticket it names no passkey and no account: the authenticator finds its own. With
 * the ticket of a right password it names the account's; 404 for a ticket that doesn't count.
 */
export async function assertionOptions(
  ctx: Context,
  { ticket }: RequestAssertion,
  browser: string,
): Promise<AssertionOptions> {
  const account = ticket === undefined ? null : await findTicket(ctx, { ticket, browser })
  const use =
    ticket === undefined
      ? ({ purpose: 'sign in', browser } as const)
      : ({ purpose: 'second factor', browser, ticket } as const)
  return {
    challenge: newChallenge(ctx, use),
    timeout: CHALLENGE_SECONDS * 1000,
    rpId: ctx.config.host,
    allowCredentials: account === null ? [] : await describePasskeys(ctx, account.userId),
    userVerification: 'required',
  }
}

/**
 * Signs in with a passkey alone: it is something that the user has, and the authenticator has verified the user. The same
 * 401 for an unknown passkey and a wrong answer; 403 until the address is verified; 429 beyond the limit.
 */
export const signInWithPasskey = (
  ctx: Context,
  input: PasskeySignIn,
  browser: SignInBrowser,
  source: RequestSource,
): Promise<CompletedSignIn> => countingFailures(ctx, 'passkey', () => byPasskey(ctx, input, browser, source))

async function byPasskey(
  ctx: Context,
  { passkey }: PasskeySignIn,
  { browser, deviceCookies }: SignInBrowser,
  source: RequestSource,
): Promise<CompletedSignIn> {
  await countPasskeySignIn(ctx, source.ipAddress)
  const checked = await checkAssertion(ctx, ctx.db, passkey, { purpose: 'sign in', browser })
  if (checked === null || checked.userHandle === null) {
    logRepeated(
      ctx.log,
      'info',
      { requestId: source.requestId, ipAddress: source.ipAddress },
      'Failed sign-in: a passkey could not be verified',
    )
    throw refused()
  }
  const account = await findAccount(ctx.db, checked.passkey.user_id)
  if (account === undefined) throw refused()
  requireVerifiedAddress(ctx, account, source)
  await use(ctx, account, checked, source)
  const proof = { method: 'passkey', passkeyId: checked.passkey.id } as const
  const signedIn = await completeSignIn(ctx, account, proof, source, deviceCookies)
  if (signedIn === null) throw refused()
  return signedIn
}

async function use(
  ctx: Context,
  account: AccountRow,
  checked: CheckedAssertion,
  source: RequestSource,
): Promise<void> {
  const reason = await transaction(ctx, async (tx) => {
    await lockAccount(tx, account.user_id)
    return useAssertion(ctx, tx, checked)
  })
  if (reason === null) return
  ctx.afterwards(recordFailedSignIn(ctx, account, `Sign-in failed. ${reason}`, source))
  throw refused()
}

const refused = () => unauthenticated('The passkey could not be verified.')
