import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { clearAccount } from '../accounts/accounts.ts'
import { revokePasswordLinks } from '../links/email-links.ts'
import { enforce } from '../policy.ts'
import { removeAllFactors } from '../second-factor/factors.ts'
import * as sessions from '../sessions/sessions.ts'
import * as policy from './policy.ts'

/** 403 unless a session began within the last 10 minutes: a stolen one must not be enough to add a way in. */
export function requireRecentSignIn(ctx: Context, signedInAt: Date): void {
  enforce(policy.changeWaysIn, {
    signedInSecondsAgo: (ctx.clock.now().getTime() - signedInAt.getTime()) / 1000,
  })
}

/**
 * 403 when a user has no way to sign in left: a password where password authentication is on, a passkey for this host, or
 * an identity at a provider that is configured. Called after one was removed, which is rolled back then. Requires the
 * lock of the account.
 */
export async function requireWayIn(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  const providers = ctx.sso.map(({ id }) => id)
  const [row] = await tx<{ has_password: boolean; others: number }[]>`
    select password_hash is not null as has_password,
      (select count(*)::int from passkeys where user_id = u.id and rp_id = ${ctx.config.host}) +
      (select count(*)::int from sso_identities where user_id = u.id and provider = any(${providers})) as others
    from users u where id = ${userId}`
  const hasPassword = ctx.config.passwordAuth && row?.has_password === true
  enforce(policy.removeWayIn, { others: (row?.others ?? 0) + (hasPassword ? 1 : 0) })
}

/**
 * Removes everything by which somebody could get into an account, and its name: for an account that its address's owner
 * takes over from whoever registered it. Requires the lock of the account.
 */
export async function removeWaysIn(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  await tx`delete from sso_identities where user_id = ${userId}`
  await removeAllFactors(tx, userId)
  await sessions.endAll(tx, userId)
  await revokePasswordLinks(ctx, tx, userId)
  await clearAccount(tx, userId, ctx.clock.now())
}
