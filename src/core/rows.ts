/** The row that a statement answers with where it must have written one; throws when it has not. */
export function written<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('a statement has written nothing where it had to')
  return row
}
