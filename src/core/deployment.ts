import type { Database, Queryable } from '../platform/postgres/database.ts'
import type { ServerKeys } from './keys/server-keys.ts'

/**
 * Holds the `SERVER_SECRET` against the one that this database was first used with, whose key id is stored then. Throws
 * a sentence when it is another: nothing that is stored could be opened.
 */
export async function requireServerSecret(db: Database, keys: ServerKeys): Promise<void> {
  const [row] = await db<{ server_key_id: string }[]>`
    update deployment set server_key_id = coalesce(server_key_id, ${keys.keyId}) returning server_key_id`
  if (row?.server_key_id === keys.keyId) return
  throw new Error(
    `SERVER_SECRET is not the one that this database's keys are wrapped with: its key id is ${keys.keyId}, ` +
      `the database's is ${row?.server_key_id}. Start with the original SERVER_SECRET.`,
  )
}

/** The organisation that this deployment serves; null before the first registration. */
export async function findOrganisationId(db: Queryable): Promise<string | null> {
  const [row] = await db<{ organisation_id: string | null }[]>`select organisation_id from deployment`
  return row?.organisation_id ?? null
}

/** Whether somebody has registered the first account already. */
export const hasOrganisation = async (db: Queryable): Promise<boolean> =>
  (await findOrganisationId(db)) !== null
