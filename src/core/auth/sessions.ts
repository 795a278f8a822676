import type { Transaction } from '../../platform/database.ts'
import * as queries from './session-queries.ts'

/** Ends every session of a person, with their bearers: a removal, or a new password. */
export async function endAll(tx: Transaction, userId: string): Promise<void> {
  await queries.removeAll(tx, userId)
}
