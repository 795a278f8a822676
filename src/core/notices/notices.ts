import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { NoticeKind } from './notice.ts'

/**
 * Queues a mail that tells a user what happened to the account or membership; `name` is what the notice names, such as
 * the new role. Wake the queue after the commit. Does nothing without a mail gateway.
 */
export async function queueNotice(
  ctx: Context,
  tx: Transaction,
  userId: string,
  notice: NoticeKind,
  name = '',
): Promise<void> {
  if (ctx.config.smtp !== null) await ctx.queue.send(tx, 'send-notice', { userId, notice, name })
}
