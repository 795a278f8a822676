import { randomBytes, randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { EMAIL_LINK_SECONDS } from './email-links.ts'
import { linkUrl } from './link.ts'
import * as queries from './queries.ts'

/** A link to hand over; whoever has its address can use it, once. */
export type HandedLink = Readonly<{ url: string; expiresAt: Date }>

/**
 * Creates a link that sets an account's password, for an operator to hand over; earlier ones are void. It needs no mail
 * gateway and has no limit. The account must be locked.
 */
export async function createHandedLink(ctx: Context, tx: Transaction, userId: string): Promise<HandedLink> {
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
  })
  return { url: linkUrl(ctx, purpose, row), expiresAt }
}
