import type { Transaction } from '../../platform/postgres/database.ts'
import { removeAllFactors } from '../second-factor/factors.ts'
import * as queries from './queries.ts'

/** Removes every way into an account but its password: identities at providers, passkeys, the authenticator app. */
export async function removeAllButPassword(tx: Transaction, userId: string): Promise<void> {
  await queries.removeIdentities(tx, userId)
  await removeAllFactors(tx, userId)
}
