import type { Fragment, Queryable } from '../platform/postgres/database.ts'
import { limitClause, type PageRange } from './pagination.ts'

/** A column by which a list is ordered, and a row's value in it as a cursor holds it. */
export type SortColumn<Row> = Readonly<{
  name: string
  type: 'text' | 'timestamptz' | 'uuid' | 'int'
  value: (row: Row) => string
}>

/** The order of a list: by columns whose values no two rows share together; all ascending, or all descending. */
export type Order<Row> = Readonly<{
  /** As the request asks for it, such as `-name`; null for the list's own order. */
  sort: string | null
  columns: readonly SortColumn<Row>[]
  descending: boolean
}>

/** The orders of a list: its own, and those that a request can ask for, by the names of fields. */
export type Orders<Row> = Readonly<Record<string, readonly SortColumn<Row>[]>> &
  Readonly<{ own: readonly SortColumn<Row>[] }>

/** The order that a request asks for, such as `-name`; the list's own without one. */
export function orderOf<Row>(orders: Orders<Row>, sort: string | undefined): Order<Row> {
  const descending = sort?.startsWith('-') ?? false
  const columns = (sort === undefined ? null : orders[sort.slice(descending ? 1 : 0)]) ?? orders.own
  const isOwn = columns === orders.own && !descending
  return { sort: isOwn ? null : (sort ?? null), columns, descending }
}

/** The sort key of a row in an order. */
export const sortKeyIn =
  <Row>({ columns }: Pick<Order<Row>, 'columns'>) =>
  (row: Row): readonly string[] =>
    columns.map(({ value }) => value(row))

/** The columns of the order of creation, of rows of the table `table`. */
export const creationColumns = <Row extends { created_at: Date; id: string }>(
  table: string,
): readonly SortColumn<Row>[] => [
  { name: `${table}.created_at`, type: 'timestamptz', value: (row) => row.created_at.toISOString() },
  { name: `${table}.id`, type: 'uuid', value: (row) => row.id },
]

/** The end of a statement that lists rows in an order: those in the range. */
export const ordered = <Row>(db: Queryable, order: Order<Row>, range: PageRange) =>
  db`${afterCursor(db, order, range)} ${orderBy(db, order)} ${limitClause(db, range)}`

/** The condition on rows that they come after the cursor, with its `and`; empty on the first page. */
export function afterCursor<Row>(db: Queryable, { columns, descending }: Order<Row>, { after }: PageRange) {
  if (after === null) return db``
  const key = listed(
    db,
    columns.map(({ name }) => db`${db(name)}`),
  )
  const values = listed(
    db,
    columns.map(({ type }, index) => typed(db, type, after[index] ?? '')),
  )
  return descending ? db`and (${key}) < (${values})` : db`and (${key}) > (${values})`
}

/** The `order by` of an order. */
export const orderBy = <Row>(db: Queryable, { columns, descending }: Order<Row>) =>
  db`order by ${listed(
    db,
    columns.map(({ name }) => (descending ? db`${db(name)} desc` : db`${db(name)}`)),
  )}`

const listed = (db: Queryable, parts: readonly Fragment[]): Fragment =>
  parts.reduce((all, part) => db`${all}, ${part}`)

function typed(db: Queryable, type: SortColumn<never>['type'], value: string): Fragment {
  switch (type) {
    case 'text':
      return db`${value}::text`
    case 'timestamptz':
      // As text: the driver makes a date of what is to be an instant, and there is none of -infinity.
      return db`${value}::text::timestamptz`
    case 'uuid':
      return db`${value}::uuid`
    case 'int':
      return db`${value}::int`
  }
}
