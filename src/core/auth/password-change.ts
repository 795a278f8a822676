import type { Static } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { forbidden } from '../errors.ts'
import { Closed, Text } from '../schema.ts'
import { transaction } from '../transactions.ts'
import { emailKey, NewPassword } from './account.ts'
import { recordOf } from './account-trail.ts'
import { voidPasswordLinks } from './email-links.ts'
import * as queries from './queries.ts'
import type { Person } from './session.ts'
import * as sessions from './sessions.ts'
import { countAttempt } from './sign-in-limits.ts'

/** The body that changes one's password. */
export const ChangePassword = Closed({ current_password: Text(1024), new_password: NewPassword() })
export type ChangePassword = Static<typeof ChangePassword>

/**
 * Gives the caller's account another password and ends all its sessions, this one too. 403 for a wrong current
 * password; an attempt counts like a sign-in, since a stolen session must not be a way to guess it.
 */
export async function changePassword(ctx: Context, caller: Person, input: ChangePassword): Promise<void> {
  await countAttempt(ctx, emailKey(caller.email), caller.origin.ipAddress)
  const [account] = await queries.findAccountOf(ctx.db, caller.userId)
  const before = account?.password_hash ?? null
  const isRight = await ctx.passwords.verify(before, input.current_password)
  if (before === null || !isRight) throw wrong()
  const after = await ctx.passwords.hash(input.new_password)
  await transaction(ctx, async (tx) => {
    const changed = await queries.setPassword(tx, caller.userId, before, after, ctx.clock.now())
    if (changed.count === 0) throw wrong()
    await voidPasswordLinks(ctx, tx, caller.userId)
    await sessions.endAll(tx, caller.userId)
    await recordOf(ctx, tx, caller, {
      eventType: 'user.password_changed',
      resourceType: 'user',
      resourceId: caller.userId,
      description: 'Password changed; all sessions ended.',
    })
  })
}

const wrong = () => forbidden('The current password is wrong.')
