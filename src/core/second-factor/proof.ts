import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { badRequest, unauthenticated } from '../errors.ts'
import { checkAssertion, useAssertion } from '../passkeys/assertions.ts'
import type { ChallengeUse } from '../passkeys/challenges.ts'
import type { SentFactor } from './factor.ts'
import { useRecoveryCode } from './recovery-codes.ts'
import { useTotp } from './totp.ts'

/** How an account proved its second factor, in words for the audit log. */
export type ProvedWith = 'an authenticator app' | 'a recovery code' | 'a passkey'

/** 400 unless exactly one factor is sent. */
export function requireOneFactor({ totp, recovery_code, passkey }: SentFactor): void {
  const sent = [totp, recovery_code, passkey].filter((factor) => factor !== undefined)
  if (sent.length !== 1) throw badRequest('Send exactly one of totp, recovery_code and passkey.')
}

/** Whether it is a code, which somebody could guess. */
export const isCode = ({ totp, recovery_code }: SentFactor): boolean =>
  totp !== undefined || recovery_code !== undefined

/** Uses the one factor that was sent, of this account; 401 when it is wrong or was used. Requires the account's lock. */
export async function useFactor(
  ctx: Context,
  tx: Transaction,
  userId: string,
  { totp, recovery_code, passkey }: SentFactor,
  use: ChallengeUse,
): Promise<ProvedWith> {
  if (totp !== undefined) {
    if (await useTotp(ctx, tx, userId, totp)) return 'an authenticator app'
    throw unauthenticated('The code is wrong, or was used already.')
  }
  if (recovery_code !== undefined) {
    if (await useRecoveryCode(tx, userId, recovery_code)) return 'a recovery code'
    throw unauthenticated('The recovery code is wrong, or was used already.')
  }
  const checked = passkey === undefined ? null : await checkAssertion(ctx, tx, passkey, use)
  if (checked?.passkey.user_id !== userId || (await useAssertion(ctx, tx, checked)) !== null)
    throw unauthenticated('The passkey could not be verified.')
  return 'a passkey'
}
