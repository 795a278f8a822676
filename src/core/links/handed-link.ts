import { randomBytes, randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { AuditEvent } from '../audit/events.ts'
import { queueNotice } from '../notices/notices.ts'
import { removeAllFactors } from '../second-factor/factors.ts'
import { EMAIL_LINK_SECONDS, linkUrl } from './link.ts'
import * as queries from './queries.ts'

/** A link to hand over; whoever has its address can use it, once. */
export type HandedLink = Readonly<{ url: string; expiresAt: Date }>

/**
 * Creates a link that sets an account's password, for an operator to hand over; earlier ones are void. It needs no mail
 * gateway and has no limit. With `removesFactors`, its use also removes the account's second factors. The account must be
 * locked.
 */
export async function createHandedLink(
  ctx: Context,
  tx: Transaction,
  userId: string,
  removesFactors: boolean,
): Promise<HandedLink> {
  const purpose = 'reset-password'
  const at = ctx.clock.now()
  const expiresAt = new Date(at.getTime() + EMAIL_LINK_SECONDS[purpose] * 1000)
  const row = { id: randomUUID(), nonce: randomBytes(32) }
  await queries.markAllUsed(tx, userId, purpose, at)
  await queries.insertByOperator(tx, {
    ...row,
    user_id: userId,
    purpose,
    created_at: at,
    expires_at: expiresAt,
    removes_factors: removesFactors,
  })
  return { url: linkUrl(ctx, purpose, row), expiresAt }
}

/** Removes an account's second factors, because the link of an operator that was used says so; its lock is required. */
export async function removeFactors(
  ctx: Context,
  tx: Transaction,
  userId: string,
  record: (event: AuditEvent) => Promise<void>,
): Promise<void> {
  const { passkeys, totp, recovery_codes: recoveryCodes } = await removeAllFactors(tx, userId)
  if (passkeys + totp + recoveryCodes === 0) return
  await record({
    eventType: 'user.second_factors_removed',
    resourceId: userId,
    oldValues: { passkeys, totp, recoveryCodes },
    description: 'All second factors removed with a link of an operator.',
  })
  await queueNotice(ctx, tx, userId, 'sign-in-method-removed', 'Every passkey and authenticator app')
}
