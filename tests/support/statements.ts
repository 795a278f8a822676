import type { Context } from '../../src/context.ts'

/**
 * How many statements the context's pool sends while `work` runs, `begin` and `commit` among them, where nothing of it is
 * remembered. What the driver asks when it opens a connection doesn't count, nor does what happens beside a request:
 * noting that a token was used or a member seen, and adding repeats to entries of the audit log.
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
  await ctx.db`update state_version set version = gen_random_uuid()`
  const { options } = ctx.db
  const before = options.debug
  const statements: string[] = []
  options.debug = (_connection, text) => {
    if (!BESIDE.some((part) => text.includes(part))) statements.push(text)
  }
  try {
    await work()
    return statements
  } finally {
    options.debug = before
  }
}

const BESIDE = [
  'from pg_catalog.pg_type',
  'update tokens set last_used_at',
  'update members set last_seen_at',
  'update audit_entries a set count',
]
