import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Credential, RequestSource } from '../actor.ts'
import { recordAccount } from './account-audit.ts'
import * as queries from './queries.ts'

/** Marks the e-mail address of an account as verified, and tells the audit log, unless it is verified already. */
export async function verifyAddress(
  ctx: Context,
  tx: Transaction,
  userId: string,
  source: RequestSource,
  credential: Credential | null = null,
): Promise<void> {
  const { count } = await queries.markEmailVerified(tx, userId, ctx.clock.now())
  if (count === 0) return
  const [account] = await queries.find(tx, userId)
  if (account === undefined) return
  await recordAccount(
    ctx,
    tx,
    account,
    { credential, source },
    { eventType: 'user.email_verified', resourceId: userId, description: 'E-mail address verified.' },
  )
}
