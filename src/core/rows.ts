import type { Fragment, Queryable } from '../platform/postgres/database.ts'
import { notFound } from './errors.ts'
import { isId } from './id.ts'

/** The row that a statement always returns; throws when there is none, such as when nothing was written. */
export function written<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('a statement returned no row where it must return one')
  return row
}

/** The row that a query by id finds; undefined when there is none, also for a malformed id. */
export const findById = async <Row>(
  id: string,
  query: (id: string) => PromiseLike<readonly Row[]>,
): Promise<Row | undefined> => (isId(id) ? (await query(id))[0] : undefined)

/** The row, or 404 when it is undefined; `what` is a noun such as `Role`, `id` the id in the body that named it. */
export function found<Row>(row: Row | undefined, what: string, id?: string): Row {
  if (row === undefined) throw notFound(what, id)
  return row
}

/**
 * Joins the row of a table that meets a condition, of which there is at most one. The limit has it looked up for each row that
 * comes before it: where the planner's statistics know nothing, an ordinary join may compare all pairs, and where they know
 * only rows that come early in an index, it may read that index from its beginning.
 */
export const lookedUp = (db: Queryable, table: string, alias: string, condition: Fragment): Fragment =>
  db`cross join lateral ${oneRow(db, table, alias, condition)}`

/** Joins such a row where there is one, and nulls where there is none. */
export const lookedUpOrNulls = (db: Queryable, table: string, alias: string, condition: Fragment): Fragment =>
  db`left join lateral ${oneRow(db, table, alias, condition)} on true`

const oneRow = (db: Queryable, table: string, alias: string, condition: Fragment) =>
  db`(select * from ${db(table)} where ${condition} limit 1) ${db(alias)}`

/** Columns as a join names them: `id` of a role as `role_id`. */
export type Prefixed<Prefix extends string, Columns> = {
  readonly [Name in keyof Columns & string as `${Prefix}${Name}`]: Columns[Name]
}

/** The number that a statement counted as `count`. */
export const countOf = async (query: PromiseLike<readonly Record<string, unknown>[]>): Promise<number> =>
  Number((await query)[0]?.count)
