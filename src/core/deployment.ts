import type { Database, Queryable } from '../platform/postgres/database.ts'
import type { ServerKeys } from './keys/server-keys.ts'
import type { Row } from './tables.ts'

/**
 * Throws if `SERVER_SECRET` differs from the one that this database was first used with: no stored key could be
 * unwrapped. The first start stores its key id.
 */
export async function requireServerSecret(db: Database, keys: ServerKeys): Promise<void> {
  const [row] = await db<Row<'deployment', 'server_key_id'>[]>`
    update deployment set server_key_id = coalesce(server_key_id, ${keys.keyId}) returning server_key_id`
  if (row?.server_key_id === keys.keyId) return
  throw new Error(
    `SERVER_SECRET is not the one that this database's keys are wrapped with: its key id is ${keys.keyId}, ` +
      `the database's is ${row?.server_key_id}. Start with the original SERVER_SECRET.`,
  )
}

/** The organisation that this deployment serves; null before the first registration. */
export async function findOrganisationId(db: Queryable): Promise<string | null> {
  const [row] = await db<Row<'deployment', 'organisation_id'>[]>`select organisation_id from deployment`
  return row?.organisation_id ?? null
}

/** Whether the first account was registered, which creates the organisation. */
export const hasOrganisation = async (db: Queryable): Promise<boolean> =>
  (await findOrganisationId(db)) !== null
