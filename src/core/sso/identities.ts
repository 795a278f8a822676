import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { recordCaller } from '../accounts/account-audit.ts'
import { notFound } from '../errors.ts'
import { queueNotice } from '../notices/notices.ts'
import { Timestamp } from '../schema.ts'
import type { SignedInUser } from '../sessions/session.ts'
import { changeOwnSignIn } from '../sign-in/own-change.ts'
import { requireWayIn } from '../sign-in/ways-in.ts'
import * as queries from './queries.ts'

/** An identity, as its own user sees it. */
export const Identity = Type.Object({
  provider: Type.String({ description: 'The id of the provider.' }),
  name: Type.String({ description: 'The name of the provider.' }),
  createdAt: Timestamp(),
})
export type Identity = Static<typeof Identity>

/** The caller's own identities, oldest first. */
export async function list(ctx: Context, caller: SignedInUser): Promise<{ data: Identity[] }> {
  const rows = await queries.list(ctx.db, caller.userId)
  const data = rows.map(({ provider, created_at }) => ({
    provider,
    name: nameOf(ctx, provider),
    createdAt: created_at.toISOString(),
  }))
  return { data }
}

/**
 * Unlinks the caller's identity at a provider, which need not be configured any more. 404 when there is none, 403 when it
 * is the last way in. Sessions that it has opened stay.
 */
export async function unlink(ctx: Context, caller: SignedInUser, provider: string): Promise<void> {
  const { userId } = caller
  await changeOwnSignIn(ctx, caller, async (tx) => {
    if (!(await queries.remove(tx, userId, provider))) throw notFound('Linked account')
    await requireWayIn(ctx, tx, userId)
    await recordCaller(ctx, tx, caller, {
      eventType: 'user.identity_unlinked',
      resourceId: userId,
      oldValues: { provider },
      description: `Sign-in with ${nameOf(ctx, provider)} removed.`,
    })
    await queueNotice(ctx, tx, userId, 'sign-in-method-removed', nameOf(ctx, provider))
  })
}

const nameOf = (ctx: Context, provider: string): string =>
  ctx.sso.find(({ id }) => id === provider)?.name ?? provider
