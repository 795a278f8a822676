import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { Account, type AccountRow, emailKey, ownPasswordTurn, presentAccount } from '../accounts/account.ts'
import { findAccountByEmail } from '../accounts/accounts.ts'
import type { RequestSource } from '../actor.ts'
import { unauthenticated } from '../errors.ts'
import { logRepeated } from '../repeated-lines.ts'
import { Email, StrictObject, Text } from '../schema.ts'
import type { SecondFactorAsked } from '../second-factor/factor.ts'
import { factorsOf, hasFactor, methodsOf } from '../second-factor/factors.ts'
import { createTicket } from '../second-factor/tickets.ts'
import { SessionToken } from '../sessions/session.ts'
import * as sessions from '../sessions/sessions.ts'
import { deviceCookie, knownDevice } from './devices.ts'
import { recordFactorAsked, recordFailedSignIn, recordSignIn } from './sign-in-audit.ts'
import { countAttempt } from './sign-in-limits.ts'
import { countingFailures } from './sign-in-metrics.ts'
import { requireVerifiedAddress } from './verified-address.ts'

/** The body that signs in. */
export const SignIn = StrictObject({ email: Email(), password: Text(1024) })
export type SignIn = Static<typeof SignIn>

/** The response to a sign-in. */
export const SignedIn = Type.Composite([SessionToken, Account])
export type SignedIn = Static<typeof SignedIn>

/**
 * Signs in with a password. The same 401 in the same time for an unknown address, a wrong password and an account
 * without a password; 403 until the address is verified; 429 beyond the limits, or when too many passwords wait to be
 * checked. Where the account has a second factor, gives a ticket with which it is to be proved; otherwise opens a session
 * and returns a device cookie, with which strangers' attempts don't count against this browser.
 */
export async function signIn(
  ctx: Context,
  input: SignIn,
  source: RequestSource,
  browser: SignInBrowser,
): Promise<CompletedSignIn | AskedSignIn> {
  return await countingFailures(ctx, 'password', () => byPassword(ctx, input, source, browser))
}

async function byPassword(
  ctx: Context,
  input: SignIn,
  source: RequestSource,
  { browser, deviceCookies }: SignInBrowser,
): Promise<CompletedSignIn | AskedSignIn> {
  const account = await findAccountByEmail(ctx.db, input.email)
  const device = knownDevice(ctx, account, deviceCookies)
  const own =
    account && device !== null
      ? { userId: account.user_id, id: device, turn: ownPasswordTurn(account) }
      : null
  const turn = await countAttempt(ctx, emailKey(input.email), source.ipAddress, own)
  const passwordHash = account?.password_hash ?? null
  const isRight = await ctx.passwords.verify(passwordHash, input.password, turn)
  if (account === undefined || passwordHash === null || !isRight) throw failSignIn(ctx, account, source)
  requireVerifiedAddress(ctx, account, source)
  const factors = await factorsOf(ctx, ctx.db, account.user_id)
  if (hasFactor(factors)) {
    const ticket = await createTicket(ctx, account.user_id, passwordHash, browser)
    await recordFactorAsked(ctx, account, source)
    return { asked: { secondFactor: { ticket, methods: methodsOf(factors) } } }
  }
  const signedIn = await completeSignIn(
    ctx,
    account,
    { method: 'password', passwordHash },
    source,
    deviceCookies,
  )
  if (signedIn === null) throw failSignIn(ctx, account, source)
  return signedIn
}

/** What a sign-in answers with, and its cookies. */
export type CompletedSignIn = Readonly<{ answer: SignedIn; cookie: string; deviceCookie: string }>

/** A right password that is not enough. */
export type AskedSignIn = Readonly<{ asked: SecondFactorAsked }>

/** The browser that signs in: what tells it apart, and its device cookies. */
export type SignInBrowser = Readonly<{ browser: string; deviceCookies: readonly string[] }>

/**
 * Starts the session of an account whose user has proved who they are; null when the proof no longer holds. `factor` is
 * the second factor, in words for the audit log.
 */
export async function completeSignIn(
  ctx: Context,
  account: AccountRow,
  proof: sessions.SignInProof,
  source: RequestSource,
  deviceCookies: readonly string[],
  factor: string | null = null,
): Promise<CompletedSignIn | null> {
  const session = await sessions.open(ctx, account, proof, source)
  if (session === null) return null
  ctx.metrics.countSignIn(proof.method, 'ok')
  await recordSignIn(ctx, account, session.id, proof.method, source, factor)
  const { cookie, accessToken, expiresAt } = session
  return {
    answer: { accessToken, expiresAt, ...presentAccount(ctx, account) },
    cookie,
    deviceCookie: deviceCookie(ctx, account, deviceCookies),
  }
}

function failSignIn(ctx: Context, account: AccountRow | undefined, source: RequestSource) {
  if (account === undefined) {
    const { requestId, ipAddress } = source
    logRepeated(ctx.log, 'info', { requestId, ipAddress }, 'Failed sign-in: no such account')
  } else {
    ctx.afterwards(recordFailedSignIn(ctx, account, 'Sign-in failed.', source))
  }
  return unauthenticated('The e-mail address or the password is wrong.')
}
