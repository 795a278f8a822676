import type { Context } from '../../src/context.ts'

/**
 * How many statements the context's pool sends while `work` runs, `begin` and `commit` among them. What the driver asks
 * when it opens a connection doesn't count. A token's first use in a minute is a statement of its own: make one call
 * before, with the clock standing still.
 */
export async function countStatements(
  ctx: Pick<Context, 'db'>,
  work: () => Promise<unknown>,
): Promise<number> {
  return (await statementsOf(ctx, work)).length
}

/** The texts of the statements that `countStatements` counts, in the order in which they were sent. */
export async function statementsOf(
  ctx: Pick<Context, 'db'>,
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const { options } = ctx.db
  const before = options.debug
  const statements: string[] = []
  options.debug = (_connection, text) => {
    if (!text.includes('from pg_catalog.pg_type')) statements.push(text)
  }
  try {
    await work()
    return statements
  } finally {
    options.debug = before
  }
}
