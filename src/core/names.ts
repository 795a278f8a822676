import type { Transaction } from '../platform/postgres/database.ts'
import { constraintError } from './constraints.ts'
import { nameKey } from './text.ts'

/** The tables with unique names, and the column within whose value they are unique. */
const SCOPES = { roles: 'organisation_id', apps: 'organisation_id', environments: 'app_id' } as const

/**
 * 409 when another row of the same organisation or app has this name. The database enforces it as well; checking first
 * keeps names out of the database's log.
 */
export async function requireFreeName(
  tx: Transaction,
  table: keyof typeof SCOPES,
  scopeId: string,
  name: string,
  exceptId: string | null = null,
): Promise<void> {
  const taken = await tx`
    select 1 from ${tx(table)}
    where ${tx(SCOPES[table])} = ${scopeId} and name_key = ${nameKey(name)}
      and (${exceptId}::uuid is null or id <> ${exceptId})`
  if (taken.length > 0) throw constraintError(`${table}_name_unique`)
}
