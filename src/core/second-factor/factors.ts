import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { written } from '../rows.ts'
import type { FactorMethod } from './factor.ts'
import * as queries from './queries.ts'

/** What an account has set up. */
export type AccountFactors = queries.FactorsRow

/** The factors of an account. */
export const factorsOf = async (ctx: Context, db: Queryable, userId: string): Promise<AccountFactors> =>
  written(await queries.factors(db, userId, ctx.config.host))

/**
 * Whether an account has a second factor. A passkey that was made under another HOST is one, too, although it can't be
 * used: a change of HOST must not open an account to whoever knows its password.
 */
export const hasFactor = ({ passkeys, foreign_passkeys, has_totp }: AccountFactors): boolean =>
  passkeys > 0 || foreign_passkeys > 0 || has_totp

/** What an account can prove its second factor with. */
export const methodsOf = (factors: AccountFactors): FactorMethod[] => [
  ...(factors.passkeys > 0 ? (['passkey'] as const) : []),
  ...(factors.has_totp ? (['totp'] as const) : []),
  ...(factors.recovery_codes > 0 ? (['recovery'] as const) : []),
]

/** Voids the recovery codes of an account that has nothing else left. Requires the lock of the account. */
export async function voidLoneRecoveryCodes(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  if (!hasFactor(await factorsOf(ctx, tx, userId))) await queries.removeRecoveryCodes(tx, userId)
}

/**
 * Removes an account's passkeys, authenticator app and recovery codes, also where they are its last way in; tells how many
 * of each there were. Requires the lock of the account.
 */
export const removeAllFactors = async (
  tx: Transaction,
  userId: string,
): Promise<{ passkeys: number; totp: number; recovery_codes: number }> =>
  written(await queries.removeAll(tx, userId))
