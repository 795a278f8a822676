import type { Transaction } from '../../platform/postgres/database.ts'
import { written } from '../rows.ts'
import type { Row } from '../tables.ts'

/** The name of an organisation that exists. */
export const organisationName = async (tx: Transaction, id: string): Promise<string> =>
  written(await tx<Row<'organisations', 'name'>[]>`select name from organisations where id = ${id}`).name
