import { notFound } from './errors.ts'
import { isId } from './id.ts'

/** The row that a statement always answers with; throws when it has not, as where nothing was written. */
export function written<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('a statement has written nothing where it had to')
  return row
}

/** The row that a query by id finds; undefined where it finds none, also for a text without the form of an id. */
export const findById = async <Row>(
  id: string,
  query: (id: string) => PromiseLike<readonly Row[]>,
): Promise<Row | undefined> => (isId(id) ? (await query(id))[0] : undefined)

/** The row, or 404 where there is none; `what` is a noun such as `Role`, `id` what a body referred to it by. */
export function found<Row>(row: Row | undefined, what: string, id?: string): Row {
  if (row === undefined) throw notFound(what, id)
  return row
}

/** Columns as a join names them: `id` of a role as `role_id`. */
export type Prefixed<Prefix extends string, Columns> = {
  readonly [Name in keyof Columns & string as `${Prefix}${Name}`]: Columns[Name]
}

/** The number that a statement counted as `count`. */
export const countOf = async (query: PromiseLike<readonly Record<string, unknown>[]>): Promise<number> =>
  Number((await query)[0]?.count)
