import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { clearAccount, findAccount } from '../accounts/accounts.ts'
import { revokePasswordLinks } from '../links/email-links.ts'
import { countPasskeys } from '../passkeys/host.ts'
import { enforce } from '../policy.ts'
import { countOf } from '../rows.ts'
import * as sessions from '../sessions/sessions.ts'
import { removeAllButPassword } from './other-ways-in.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** Whether people can sign in with a password: where that is on, and passwords can be hashed. */
export const offersPasswords = (
  config: Pick<Context['config'], 'passwordAuth' | 'passwordHashing'>,
): boolean => config.passwordAuth && config.passwordHashing

/**
 * How many ways an account has to sign in: its password, where people can sign in with it, each passkey that works with
 * this host, and each identity at a provider that is configured.
 */
export async function waysIn(ctx: Context, db: Queryable, userId: string): Promise<number> {
  const account = await findAccount(db, userId)
  const hasPassword = offersPasswords(ctx.config) && account !== undefined && account.password_hash !== null
  const providers = ctx.sso.map(({ id }) => id)
  return (
    (hasPassword ? 1 : 0) +
    (await countPasskeys(ctx, db, userId)) +
    (await countOf(queries.countIdentities(db, userId, providers)))
  )
}

/** 403 when an account has no way in left. Called after one was removed, under the lock of the account. */
export async function requireWayIn(ctx: Context, db: Queryable, userId: string): Promise<void> {
  enforce(policy.removeWayIn, { left: await waysIn(ctx, db, userId) })
}

/**
 * Removes everything by which somebody could get into an account, and its name: for an account that its address's owner
 * takes over from whoever registered it. Requires the lock of the account.
 */
export async function removeWaysIn(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  await removeAllButPassword(tx, userId)
  await sessions.endAll(tx, userId)
  await revokePasswordLinks(ctx, tx, userId)
  await clearAccount(tx, userId, ctx.clock.now())
}
