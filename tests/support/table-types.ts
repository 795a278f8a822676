import type { Database } from '../../src/platform/postgres/database.ts'

type Column = { table: string; column: string; type: string; nullable: boolean; choices: string[] | null }

const TYPES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytea: 'Uint8Array',
  int2: 'number',
  int4: 'number',
  int8: 'string',
  json: 'unknown',
  text: 'string',
  _text: 'string[]',
  timestamptz: 'Date',
  uuid: 'string',
  xid8: 'string',
}

/** The TypeScript types of the rows of every table in a migrated database, as postgres.js reads them. */
export async function tableTypes(db: Database): Promise<string> {
  const byTable = new Map<string, Column[]>()
  for (const column of await columns(db)) {
    byTable.set(column.table, [...(byTable.get(column.table) ?? []), column])
  }
  const tables = [...byTable].map(
    ([table, its]) => `  ${table}: Readonly<{\n${its.map((one) => `    ${field(one)}\n`).join('')}  }>\n`,
  )
  return `// Generated from the migrated schema by tests/core/tables.test.ts.

type Tables = {
${tables.join('')}}

/** These columns of a table's row, as they are read. */
export type Row<Table extends keyof Tables, Column extends keyof Tables[Table]> = Pick<Tables[Table], Column>
`
}

function field({ column, type, nullable, choices }: Column): string {
  const known = TYPES[type]
  if (known === undefined) throw new Error(`Say in TYPES how a column of type ${type} is read.`)
  const values = choices?.map((choice) => `'${choice}'`).join(' | ') ?? known
  return `${column}: ${values}${nullable && values !== 'unknown' ? ' | null' : ''}`
}

/** Columns in their order; `choices` are the values that a check `column in (…)` allows. */
const columns = (db: Database) => db<Column[]>`
  select c.relname as table, a.attname as column, t.typname as type, not a.attnotnull as nullable,
    (select array_agg(match[1] order by ord) from pg_constraint k,
      regexp_matches(pg_get_constraintdef(k.oid), '''([a-z_-]+)''::text', 'g') with ordinality as found(match, ord)
      where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
        and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%') as choices
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'
  order by c.relname, a.attnum`
