import { createHash, randomBytes } from 'node:crypto'
import type { Transaction } from '../../platform/postgres/database.ts'
import * as queries from './queries.ts'

/** How many recovery codes an account is given at once. */
export const RECOVERY_CODES = 10

/** Gives an account new recovery codes; the old ones are void. */
export async function renewRecoveryCodes(tx: Transaction, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode)
  await queries.removeRecoveryCodes(tx, userId)
  await queries.insertRecoveryCodes(
    tx,
    userId,
    codes.map((code) => hashOf(userId, code)),
  )
  return codes
}

/** The recovery codes that come with a new factor; null for an account that has some. */
export const firstRecoveryCodes = async (
  tx: Transaction,
  userId: string,
  { recovery_codes }: queries.FactorsRow,
): Promise<string[] | null> => (recovery_codes > 0 ? null : await renewRecoveryCodes(tx, userId))

/** Uses a recovery code, however its letters and hyphens are written; false when it is wrong or was used. */
export const useRecoveryCode = async (tx: Transaction, userId: string, code: string): Promise<boolean> =>
  (await queries.useRecoveryCode(tx, userId, hashOf(userId, code))).count > 0

/** Crockford's base32: no letter that looks like a digit. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** 80 random bits, which nobody guesses from a hash, in groups of four letters. */
const newCode = (): string =>
  [...randomBytes(16)]
    .map((byte) => ALPHABET[byte % 32])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-')

function hashOf(userId: string, code: string): Buffer {
  const plain = code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1')
  return createHash('sha256').update(`keyward/recovery-code/${userId}/${plain}`).digest()
}
