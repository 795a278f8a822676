import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { recordCaller } from '../accounts/account-audit.ts'
import { conflict, notFound, unauthenticated } from '../errors.ts'
import { queueNotice } from '../notices/notices.ts'
import { after } from '../sessions/lifetime.ts'
import type { SignedInUser } from '../sessions/session.ts'
import { changeOwnSignIn } from '../sign-in/own-change.ts'
import type { ConfirmTotp, FirstRecoveryCodes, TotpSecret } from './factor.ts'
import { factorsOf, voidLoneRecoveryCodes } from './factors.ts'
import * as queries from './queries.ts'
import { firstRecoveryCodes } from './recovery-codes.ts'
import { newSecret, stepOfCode, uriOf } from './totp-codes.ts'

/** How long a new secret waits for its first code. */
const CONFIRMATION_SECONDS = 600

/** Makes a secret for the caller's authenticator app, which counts once a code of it is confirmed. 409 with another app. */
export const beginTotp = (ctx: Context, caller: SignedInUser): Promise<TotpSecret> =>
  changeOwnSignIn(ctx, caller, async (tx) => {
    const { userId } = caller
    const secret = newSecret()
    const wrapped = ctx.keys.wrap('second-factor', secret, secretField(userId))
    const stored = await queries.insertTotp(tx, userId, wrapped, ctx.clock.now())
    if (stored.count === 0) throw conflict('You have an authenticator app already. Remove it first.')
    return { secret, uri: uriOf(secret, `Keyward ${ctx.config.host}`, caller.email) }
  })

/**
 * Confirms the caller's authenticator app with its first code, which is then used. Gives recovery codes unless the
 * account has some. 401 for a wrong code, 404 when there is no app to confirm.
 */
export const confirmTotp = (
  ctx: Context,
  caller: SignedInUser,
  input: ConfirmTotp,
): Promise<FirstRecoveryCodes> =>
  changeOwnSignIn(ctx, caller, async (tx) => {
    const { userId } = caller
    const now = ctx.clock.now()
    const [row] = await queries.findTotp(tx, userId)
    if (row === undefined || row.confirmed_at !== null || after(row.created_at, CONFIRMATION_SECONDS) <= now)
      throw notFound('Authenticator app to confirm')
    const step = stepOfCode(unwrap(ctx, userId, row.wrapped_secret), input.totp, now)
    if (step === null) throw unauthenticated('The code is wrong.')
    const factors = await factorsOf(ctx, tx, userId)
    await queries.confirmTotp(tx, userId, step, now)
    const recoveryCodes = await firstRecoveryCodes(tx, userId, factors)
    await recordCaller(ctx, tx, caller, {
      eventType: 'user.totp_added',
      resourceId: userId,
      description: 'Authenticator app set up.',
    })
    await queueNotice(ctx, tx, userId, 'sign-in-method-added', 'An authenticator app')
    return { recoveryCodes }
  })

/** Removes the caller's authenticator app; without another factor the recovery codes are void. 404 when there is none. */
export const removeTotp = (ctx: Context, caller: SignedInUser): Promise<void> =>
  changeOwnSignIn(ctx, caller, async (tx) => {
    const { userId } = caller
    if ((await queries.removeTotp(tx, userId)).count === 0) throw notFound('Authenticator app')
    await voidLoneRecoveryCodes(ctx, tx, userId)
    await recordCaller(ctx, tx, caller, {
      eventType: 'user.totp_removed',
      resourceId: userId,
      description: 'Authenticator app removed.',
    })
    await queueNotice(ctx, tx, userId, 'sign-in-method-removed', 'An authenticator app')
  })

/**
 * Uses a code of an account's authenticator app; false when it is wrong, or when it or a later one was used before: the
 * database decides, for all replicas.
 */
export async function useTotp(ctx: Context, tx: Transaction, userId: string, code: string): Promise<boolean> {
  const [row] = await queries.findTotp(tx, userId)
  if (row === undefined || row.confirmed_at === null) return false
  const step = stepOfCode(unwrap(ctx, userId, row.wrapped_secret), code, ctx.clock.now())
  return step !== null && (await queries.useStep(tx, userId, step)).count > 0
}

const unwrap = (ctx: Context, userId: string, wrapped: string): string =>
  ctx.keys.unwrap('second-factor', wrapped, secretField(userId))

const secretField = (userId: string) => ({ table: 'totp_secrets', rowId: userId, field: 'wrapped_secret' })
