import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { type AnsweredChallenge, type ChallengeUse, useChallenge, verifyChallenged } from './challenges.ts'
import type { PasskeyAssertion } from './passkey.ts'
import * as queries from './queries.ts'
import { verifyAssertion } from './webauthn.ts'

/** A passkey that was just used, its signature checked; the rest is decided by `useAssertion`. */
export type CheckedAssertion = Readonly<{
  passkey: queries.StoredPasskey
  counter: number
  challenge: AnsweredChallenge
  /** Whose passkey it is, as the authenticator says; null when it does not say. */
  userHandle: string | null
}>

/** Checks which passkey was used, and its signature for this use; null when it is unknown or anything is wrong. */
export async function checkAssertion(
  ctx: Context,
  db: Queryable,
  assertion: PasskeyAssertion,
  use: ChallengeUse,
): Promise<CheckedAssertion | null> {
  const credentialId = Buffer.from(assertion.id, 'base64url')
  const [passkey] = await queries.findByCredential(db, ctx.config.host, credentialId)
  if (passkey === undefined) return null
  const answer = await verifyChallenged(ctx, use, (isExpected) =>
    verifyAssertion(ctx, assertion, passkey.public_key, isExpected),
  )
  if (answer === null) return null
  const userHandle = assertion.response.userHandle ?? null
  if (userHandle !== null && userHandle !== userHandleOf(passkey.user_id)) return null
  return { passkey, challenge: answer.challenge, userHandle, counter: answer.verified.counter }
}

/**
 * Uses an assertion up; otherwise gives the reason why it does not count, for the audit log. Requires the lock of the
 * account.
 */
export async function useAssertion(
  ctx: Context,
  tx: Transaction,
  { passkey, challenge, counter }: CheckedAssertion,
): Promise<string | null> {
  if (!(await useChallenge(tx, challenge))) return "The passkey's answer was used before."
  const { count } = await queries.markUsed(tx, passkey.id, counter, ctx.clock.now())
  return count > 0 ? null : 'The passkey was removed, or its counter did not rise: it may have been copied.'
}

/** What an authenticator keeps of whose passkey it is: the 16 bytes of the user's id, base64url. */
export const userHandleOf = (userId: string): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url')
