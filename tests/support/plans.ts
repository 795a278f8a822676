import type { Database, DatabaseConfig } from '../../src/platform/postgres/database.ts'
import { keepDeadlines } from '../../src/platform/postgres/deadlines.ts'
import postgres from '../../src/platform/postgres/driver/index.js'

/**
 * A look at a table that a statement took: how, and how many rows it read, those that it passed over among them. Or the
 * pairs that a join passed over.
 */
export type Look = Readonly<{ table: string; how: string; rows: number }>

/** A plan as `auto_explain` tells it. */
type Plan = Readonly<{
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: readonly Plan[]
}>

/**
 * A pool of one connection whose server tells of the plan of every statement, with those that triggers and foreign keys
 * send. `looks` gives what was looked at since it was asked last.
 */
export async function explainedDatabase(
  config: DatabaseConfig,
): Promise<{ db: Database; looks(): Look[]; end(): Promise<void> }> {
  let looks: Look[] = []
  const pool = postgres({
    host: config.host,
    port: config.port,
    database: config.database,
    username: config.username,
    password: config.password,
    max: 1,
    max_lifetime: null,
    onnotice: ({ message = '' }) => {
      const [, json] = message.split('plan:\n')
      if (json !== undefined) looks.push(...looksOf((JSON.parse(json) as { Plan: Plan }).Plan))
    },
  })
  await pool.unsafe(`
    load 'auto_explain';
    set auto_explain.log_min_duration = 0;
    set auto_explain.log_analyze = on;
    set auto_explain.log_timing = off;
    set auto_explain.log_nested_statements = on;
    set auto_explain.log_format = json;
    set auto_explain.log_level = notice;
    set client_min_messages = notice;`)
  const deadlines = { statementMilliseconds: Infinity, transactionMilliseconds: Infinity }
  return {
    db: keepDeadlines(pool, deadlines, () => {}),
    looks: () => {
      const taken = looks
      looks = []
      return taken
    },
    end: () => pool.end({ timeout: 1 }),
  }
}

function looksOf(plan: Plan): Look[] {
  const pairs = (plan['Rows Removed by Join Filter'] ?? 0) * plan['Actual Loops']
  const join = pairs === 0 ? [] : [{ table: 'pairs of a join', how: plan['Node Type'], rows: pairs }]
  const below = [...join, ...(plan.Plans ?? []).flatMap(looksOf)]
  const table = plan['Relation Name']
  // A branch that was not taken looked at nothing.
  if (table === undefined || !plan['Node Type'].endsWith('Scan') || plan['Actual Loops'] === 0) return below
  const passedOver = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  const rows = (plan['Actual Rows'] + passedOver) * plan['Actual Loops']
  return [{ table, how: plan['Node Type'], rows }, ...below]
}
