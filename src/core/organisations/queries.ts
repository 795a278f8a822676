import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { written } from '../rows.ts'
import type { OrganisationRow } from './organisation.ts'

/** One organisation by its id. */
export const find = (db: Queryable, id: string) =>
  db<OrganisationRow[]>`select id, name, created_at, updated_at from organisations where id = ${id}`

/** Gives an organisation another name; gives it as it is stored. */
export const rename = async (tx: Transaction, id: string, name: string, at: Date): Promise<OrganisationRow> =>
  written(
    await tx<OrganisationRow[]>`
      update organisations set name = ${name}, updated_at = ${at} where id = ${id}
      returning id, name, created_at, updated_at`,
  )
