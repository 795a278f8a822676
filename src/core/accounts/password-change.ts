import type { Static } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { AuditEvent } from '../audit/events.ts'
import { forbidden } from '../errors.ts'
import { revokePasswordLinks } from '../links/email-links.ts'
import { StrictObject, Text } from '../schema.ts'
import type { SignedInUser } from '../sessions/session.ts'
import * as sessions from '../sessions/sessions.ts'
import { deviceCookie } from '../sign-in/devices.ts'
import { countPasswordProof } from '../sign-in/sign-in-limits.ts'
import { revokeAllOf } from '../tokens/tokens.ts'
import { transaction } from '../transactions.ts'
import { NewPassword, passwordEvent, RevokeTokens } from './account.ts'
import { recordCaller } from './account-audit.ts'
import * as queries from './queries.ts'

/** The body that changes one's password. */
export const ChangePassword = StrictObject({
  current_password: Text(1024),
  new_password: NewPassword(),
  revoke_tokens: RevokeTokens(),
})
export type ChangePassword = Static<typeof ChangePassword>

/**
 * Gives the caller's account another password and ends all its sessions, this one too, and if asked to its personal
 * access tokens. 403 for a wrong current password; attempts are limited, since a stolen session must not be a way to
 * guess it. Gives the device cookie of the browser that did it; those of before are void.
 */
export async function changePassword(
  ctx: Context,
  caller: SignedInUser,
  input: ChangePassword,
  deviceCookies: readonly string[],
): Promise<{ deviceCookie: string }> {
  const { userId } = caller
  await countPasswordProof(ctx, { userId, id: caller.credential.id })
  const [account] = await queries.findAccountOf(ctx.db, userId)
  const before = account?.password_hash ?? null
  const isRight = await ctx.passwords.verify(before, input.current_password)
  if (before === null || !isRight) throw wrong()
  const after = await ctx.passwords.hash(input.new_password)
  await transaction(ctx, async (tx) => {
    const changed = await queries.setPassword(tx, userId, before, after, ctx.clock.now())
    if (changed.count === 0) throw wrong()
    await revokePasswordLinks(ctx, tx, userId)
    await sessions.endAll(tx, userId)
    const record = (event: AuditEvent) => recordCaller(ctx, tx, caller, event)
    const revoked = input.revoke_tokens ? await revokeAllOf(tx, userId, record) : null
    await record({
      eventType: 'user.password_changed',
      resourceId: userId,
      ...passwordEvent('Password changed', revoked),
    })
  })
  const bound = (password_hash: string) => ({ user_id: userId, password_hash })
  return { deviceCookie: deviceCookie(ctx, bound(after), deviceCookies, bound(before)) }
}

const wrong = () => forbidden('The current password is wrong.')
