import type { Context } from '../../context.ts'
import { type AccountRow, auditActorOf } from '../accounts/account.ts'
import { recordAccount } from '../accounts/account-audit.ts'
import type { RequestSource } from '../actor.ts'
import { recordCoalesced } from '../audit/coalescing.ts'
import { findOrganisationId } from '../deployment.ts'
import { logRepeated } from '../repeated-lines.ts'
import type { SignInProof } from '../sessions/sessions.ts'

/** Writes that an account signed in, and the second factor by its words. The sign-in stands even when that fails. */
export const recordSignIn = (
  ctx: Context,
  account: AccountRow,
  sessionId: string,
  method: SignInProof['method'],
  source: RequestSource,
  factor: string | null = null,
): Promise<void> => {
  const credential = { kind: 'session', id: sessionId, text: '' } as const
  const event = {
    eventType: 'user.signed_in',
    resourceId: account.user_id,
    description: `Signed in with ${METHODS[method]}${factor === null ? '' : ` and ${factor}`}.`,
  } as const
  return logFailure(ctx, source, () =>
    ctx.limitSideWrites.run(account.user_id, () =>
      recordAccount(ctx, ctx.db, account, { credential, source }, event),
    ),
  )
}

/** Writes that a password was right, and a second factor was asked for. */
export const recordFactorAsked = (
  ctx: Context,
  account: AccountRow,
  source: RequestSource,
): Promise<void> => {
  const event = {
    eventType: 'user.second_factor_asked',
    resourceId: account.user_id,
    description: 'The password was right; a second factor was asked for.',
  } as const
  return logFailure(ctx, source, () =>
    ctx.limitSideWrites.run(account.user_id, () => recordAccount(ctx, ctx.db, account, { source }, event)),
  )
}

const METHODS = { password: 'a password', passkey: 'a passkey', sso: 'single sign-on' } as const

/**
 * Writes that a sign-in to an account failed. The response must not wait for it: unknown addresses write no entry, and
 * the response time must not tell the difference.
 */
export const recordFailedSignIn = (
  ctx: Context,
  account: AccountRow,
  description: string,
  source: RequestSource,
): Promise<void> =>
  logFailure(ctx, source, async () => {
    const organisationId = account.deployment_organisation_id
    if (organisationId === null) return
    await recordCoalesced(ctx, auditActorOf(account, null, source), organisationId, {
      eventType: 'user.sign_in_failed',
      resourceId: account.user_id,
      description,
    })
  })

/** Writes that a sign-in failed before it was known to which account it would have led: by the user id of nobody. */
export const recordStrangersFailure = (
  ctx: Context,
  description: string,
  source: RequestSource,
): Promise<void> =>
  logFailure(ctx, source, async () => {
    const organisationId = await findOrganisationId(ctx.db)
    if (organisationId === null) return
    const stranger = { type: 'user', id: null, userId: NOBODY, name: '', credential: null, source } as const
    await recordCoalesced(ctx, stranger, organisationId, {
      eventType: 'user.sign_in_failed',
      resourceId: null,
      description,
    })
  })

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Outside a transaction: when the entry can't be written, a line in the log tells of it. */
async function logFailure(
  ctx: Context,
  { requestId }: RequestSource,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write()
  } catch {
    logRepeated(ctx.log, 'error', { requestId }, "A sign-in's audit entry could not be written")
  }
}
