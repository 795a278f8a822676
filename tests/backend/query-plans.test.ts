import { afterAll, beforeAll, expect, test } from 'bun:test'
import { EXPIRING } from '../../src/core/housekeeping.ts'
import * as due from '../../src/core/housekeeping-queries.ts'
import * as leftovers from '../../src/core/secrets/leftover-queries.ts'
import type { TestContext } from '../support/context.ts'
import type { Look } from '../support/plans.ts'
import { templatesIn } from '../support/sql-templates.ts'
import { STATEMENTS } from './query-plans/every-statement.ts'
import { EXCUSED, SMALL } from './query-plans/excuses.ts'
import { largeState } from './query-plans/large-state.ts'
import { looksOf } from './query-plans/looks.ts'
import type { Statements, Things } from './query-plans/statements.ts'

/*
 * Every statement of the core is sent to an organisation whose tables are large, and the server tells what it read: by
 * which index, and how many rows. A statement that isn't sent here fails the test, and so does a table without rows.
 */

/** A table is large from so many rows; a statement may read so many of it. */
const [LARGE, MOST] = [1000, 500]

let ctx: TestContext
let things: Things

beforeAll(async () => {
  const state = await largeState()
  ctx = state.ctx
  things = state.things
}, 120_000)
afterAll(() => ctx.close())

test('no statement of the core reads more of a large table than an index finds', async () => {
  const sent = new Set<string>()
  expect(await excessive(STATEMENTS, (text) => sent.add(text))).toEqual([])
  const templates = await templatesIn('src/core/**/*.ts')
  expect(templates.length).toBeGreaterThan(200)
  const forgotten = templates.filter(({ text }) => text.trim() !== '' && !sent.has(text))
  expect(forgotten.map(({ place }) => place)).toEqual([])
}, 90_000)

test('a missing index is noticed, also where a foreign key needs it', async () => {
  for (const [index, name, found] of [
    ['members_by_user', 'accounts: wasNeverMember', 'Seq Scan of members'],
    ['audit_entries_denied', 'audit: countDenials', 'audit_entries'],
    ['audit_entries_refused', 'audit: list, refused', 'audit_entries'],
    ['audit_access_changes_by_day', 'access-changes: removeBefore', 'Seq Scan of audit_access_changes'],
    ['tokens_by_principal', 'principals: remove, a service account', 'Seq Scan of tokens'],
    ['audit_entries_by_actor_and_event', 'audit: list, actor and event in no entry', 'audit_entries'],
    ['secrets_with_untold_expiry', 'secret-expiry: environmentsToTell', 'Scan of secrets'],
  ] as const) {
    const [{ definition } = { definition: '' }] = await ctx.db<{ definition: string }[]>`
      select pg_get_indexdef(${index}::regclass) as definition`
    await ctx.db`drop index ${ctx.db(index)}`
    expect(await excessive({ [name]: STATEMENTS[name] as Statements[string] })).toEqual([
      expect.stringContaining(found),
    ])
    await ctx.db.unsafe(definition)
  }
}, 90_000)

test('only statements that exist are excused', () => {
  expect(Object.keys(EXCUSED).filter((name) => !(name in STATEMENTS))).toEqual([])
})

test('every table is large here, or stays small for a reason', async () => {
  const tables = await ctx.db<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`
  const large = await largeTables()
  expect(
    tables
      .map(({ name }) => name)
      .filter((name) => !large.has(name))
      .toSorted(),
  ).toEqual(Object.keys(SMALL).toSorted())
})

test('a part of what is due is found by an index, also where everything is due', async () => {
  const later = new Date('2100-01-01T00:00:00Z')
  const [rows, idle] = [50, { unusedSince: later, expiresBefore: later }]
  await ctx.db`update audit_entries set coalesce_key = uuid_send(id)`
  await ctx.db`vacuum analyze audit_entries`
  const statements: Record<string, Statements[string]> = {
    sessions: (tx) => due.removeSessions(tx, later, idle, rows),
    invites: (tx) => due.removeInvites(tx, later, rows),
    audit_entries: (tx) => due.endCoalescing(tx, later, rows),
  }
  for (const table of [...EXPIRING, 'tokens']) {
    statements[table] = (tx) => due.removeExpired(tx, table, later, rows)
  }
  const large = await largeTables()
  for (const [table, looks] of await looksOf(ctx, things, statements)) {
    expect([table, large.has(table)]).toEqual([table, true])
    const excessive = looks.filter((look) => large.has(look.table) && isExcessive(look))
    expect([table, excessive]).toEqual([table, []])
  }
}, 90_000)

test('deleted environments that have left nothing read none of what others have', async () => {
  const tables = ['secrets', 'secret_versions'] as const
  // Few environments have it all: a row of one is soon found by reading the table.
  for (const table of tables) await ctx.db`analyze ${ctx.db(table)}`
  const found = await looksOf(ctx, things, {
    leftovers: async (db) => {
      await db`insert into deleted_environments select gen_random_uuid() from generate_series(1, 100)`
      for (const table of tables) await leftovers.remove(db, table, 10_000)
      await leftovers.forgetEmpty(db)
      expect(await db`select 1 from deleted_environments`).toHaveLength(0)
    },
  })
  const rows = [...found.values()].flat().filter(({ table }) => (tables as readonly string[]).includes(table))
  expect(rows.length).toBeGreaterThan(0)
  expect(Math.max(...rows.map((look) => look.rows))).toBeLessThan(1000)
})

test('whoever comes late in an index is looked up, also where all others of a column come early', async () => {
  const members = await ctx.db<{ id: string }[]>`select principal_id as id from members order by principal_id`
  const [first, last] = [members[0]?.id ?? '', members.at(-1)?.id ?? '']
  await ctx.db`update invites set invited_by = ${first}`
  await ctx.db`update tokens set created_by = ${first}`
  await ctx.db`vacuum analyze invites, tokens`
  const names = ['invites: insert', 'tokens: insert'] as const
  const statements = Object.fromEntries(names.map((name) => [name, STATEMENTS[name] as Statements[string]]))
  for (const [name, looks] of await looksOf(ctx, { ...things, member: last }, statements)) {
    expect([name, looks.filter(isExcessive).filter(({ table }) => table !== 'organisations')]).toEqual([
      name,
      [],
    ])
  }
}, 90_000)

/**
 * What the statements read too much of, without what is excused. The planner knows the tables by random samples, and may
 * choose badly by one of them: what is found is looked at again by two others.
 */
async function excessive(
  statements: Statements,
  record: (text: string) => void = () => {},
): Promise<string[]> {
  let found = await excessiveNow(statements, record)
  for (let again = 0; again < 2 && found.size > 0; again++) {
    await ctx.db`analyze`
    const suspects = Object.entries(statements).filter(([name]) => found.has(name))
    found = await excessiveNow(Object.fromEntries(suspects), record)
  }
  return [...found].flatMap(([name, faults]) => faults.map((fault) => `${name}: ${fault}`))
}

/** What statements read too much of, by their names. */
async function excessiveNow(
  statements: Statements,
  record: (text: string) => void,
): Promise<Map<string, string[]>> {
  const large = await largeTables()
  const all = [...(await looksOf(ctx, things, statements, record))].map(([name, looks]) => {
    const excused = EXCUSED[name]?.[0].split(', ') ?? []
    const faults = looks
      .filter((look) => large.has(look.table) && !excused.includes(look.table) && isExcessive(look))
      .map(({ table, how, rows }) => `${how} of ${table}, ${rows} rows`)
    return [name, faults] as const
  })
  return new Map(all.filter(([, faults]) => faults.length > 0).map(([name, faults]) => [name, [...faults]]))
}

const isExcessive = ({ how, rows }: Look) => how === 'Seq Scan' || rows > MOST

async function largeTables(): Promise<Set<string>> {
  const rows = await ctx.db<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and reltuples >= ${LARGE}`
  return new Set(rows.map(({ name }) => name))
}
