import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import { findAccount } from '../accounts/accounts.ts'
import { countPasskeys } from '../passkeys/host.ts'
import { enforce } from '../policy.ts'
import * as policy from './policy.ts'

/**
 * How many ways an account has to sign in: its password, where password authentication is on, and each passkey that works
 * with this host.
 */
export async function waysIn(ctx: Context, db: Queryable, userId: string): Promise<number> {
  const account = await findAccount(db, userId)
  const hasPassword = ctx.config.passwordAuth && account !== undefined && account.password_hash !== null
  return (hasPassword ? 1 : 0) + (await countPasskeys(ctx, db, userId))
}

/** 403 when an account has no way in left. Called after one was removed, under the lock of the account. */
export async function requireWayIn(ctx: Context, db: Queryable, userId: string): Promise<void> {
  enforce(policy.removeWayIn, { left: await waysIn(ctx, db, userId) })
}
