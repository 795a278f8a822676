import type { Queryable, Transaction } from '../../platform/database.ts'
import type { OrganisationRow } from './organisation.ts'

/** One organisation by its id. */
export const find = (db: Queryable, id: string) =>
  db<OrganisationRow[]>`select id, name, created_at, updated_at from organisations where id = ${id}`

/** The organisation that the deployment serves, if there is one yet. */
export const served = (db: Queryable) =>
  db<{ organisation_id: string | null }[]>`select organisation_id from deployment`

/** Gives an organisation another name. */
export const rename = (tx: Transaction, id: string, name: string, at: Date) =>
  tx`update organisations set name = ${name}, updated_at = ${at} where id = ${id}`
