import type { Static } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { AuditEvent } from '../audit/events.ts'
import { type DomainError, forbidden, unauthenticated } from '../errors.ts'
import { revokePasswordLinks } from '../links/email-links.ts'
import { queueNotice, wakeNotices } from '../notices/notices.ts'
import { StrictObject, Text } from '../schema.ts'
import type { SignedInUser } from '../sessions/session.ts'
import * as sessions from '../sessions/sessions.ts'
import { deviceCookie } from '../sign-in/devices.ts'
import { countOwnChange } from '../sign-in/own-change.ts'
import { countPasswordProof } from '../sign-in/sign-in-limits.ts'
import { revokeAllOf } from '../tokens/revocation.ts'
import { beforeChange, ownTransaction } from '../transactions.ts'
import { NewPassword, ownPasswordTurn, passwordEvent, RevokeTokens } from './account.ts'
import { recordCaller } from './account-audit.ts'
import * as queries from './queries.ts'

/** The body of a change of password. */
export const ChangePassword = StrictObject({
  current_password: Text(1024),
  new_password: NewPassword(),
  revoke_tokens: RevokeTokens(),
})
export type ChangePassword = Static<typeof ChangePassword>

/**
 * Sets a new password for the caller's account and ends all its sessions, this one too; on request it also revokes the
 * personal access tokens. 403 for a wrong current password: attempts are limited, so that a stolen session can't be used
 * to guess it. 429 beyond 60 changes an hour. 401 when a concurrent change has ended the session. Returns the new device
 * cookie of this browser; earlier ones are void.
 */
export async function changePassword(
  ctx: Context,
  caller: SignedInUser,
  input: ChangePassword,
  deviceCookies: readonly string[],
): Promise<{ deviceCookie: string }> {
  const { userId } = caller
  const [account] = await beforeChange(ctx, caller, async () => {
    await countPasswordProof(ctx, { userId, id: caller.credential.id })
    return await queries.find(ctx.db, userId)
  })
  if (account === undefined) throw unauthenticated()
  const { password_hash: before } = account
  const turn = ownPasswordTurn(account)
  const isRight = await ctx.passwords.verify(before, input.current_password, turn)
  if (before === null || !isRight) throw await wrongPassword(ctx, caller)
  // Before the new password is hashed, which is expensive, and after the old one proved right: a guess is no change.
  await countOwnChange(ctx, caller)
  const after = await ctx.passwords.hash(input.new_password, turn)
  await ownTransaction(ctx, caller, async (tx) => {
    const changed = await queries.changePassword(tx, userId, before, after, ctx.clock.now())
    // A concurrent change or reset of the password was faster, and has ended all sessions.
    if (changed.count === 0) throw unauthenticated()
    await revokePasswordLinks(ctx, tx, userId)
    await sessions.endAll(tx, userId)
    const record = (...events: AuditEvent[]) => recordCaller(ctx, tx, caller, ...events)
    const revoked = input.revoke_tokens ? await revokeAllOf(ctx, tx, userId, record) : null
    await record({
      eventType: 'user.password_changed',
      resourceId: userId,
      ...passwordEvent('Password changed', revoked),
    })
    await queueNotice(ctx, tx, userId, 'password-changed')
  })
  await wakeNotices(ctx)
  return { deviceCookie: deviceCookie(ctx, { ...account, password_hash: after }, deviceCookies, account) }
}

/** 401 instead when the session has ended: then a concurrent change may have made the password a wrong one. */
async function wrongPassword(ctx: Context, caller: SignedInUser): Promise<DomainError> {
  await ownTransaction(ctx, caller, (tx) => sessions.hold(tx, caller))
  return forbidden('The current password is wrong.')
}
