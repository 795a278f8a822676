import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as rekey from '../../src/core/secrets/rekey-queries.ts'
import type { TestContext } from '../support/context.ts'
import type { Look } from '../support/plans.ts'
import { STATEMENTS } from './query-plans/every-statement.ts'
import { largeState } from './query-plans/large-state.ts'
import { looksOf } from './query-plans/looks.ts'
import { manyStatements } from './query-plans/many-statements.ts'
import { secretStatements } from './query-plans/secret-statements.ts'
import type { Statements, Things } from './query-plans/statements.ts'

/*
 * The planner knows averages and the most frequent values of a table, and may know nothing at all: after a restore, or of
 * whatever has come since it looked. Then, too, no statement reads a table again and again.
 */

let ctx: TestContext
let things: Things

beforeAll(async () => {
  const state = await largeState()
  ctx = state.ctx
  things = state.things
}, 120_000)
afterAll(() => ctx.close())

/** As a statement is planned for its values, and as it may be once it was sent often. */
const PLANS = [{}, { plan_cache_mode: 'force_generic_plan' }]

test('members without grants are found by an index, also where one member has nearly all grants', async () => {
  const { developer } = things
  await ctx.db`
    insert into grants (organisation_id, principal_id, app_id, environment_id, created_at)
    select organisation_id, ${developer.id}, app_id, id, now() from environments on conflict do nothing`
  await ctx.db`
    delete from grants where principal_id not in (
      (select principal_id from grants where principal_id <> ${developer.id} group by principal_id limit 7)
      union all select ${developer.id})`
  await ctx.db`vacuum analyze grants`
  for (const name of ['members: list, without access', 'members: count, without access']) {
    const [looks = []] = (
      await looksOf(ctx, things, { [name]: STATEMENTS[name] as Statements[string] })
    ).values()
    const rows = looks.filter(({ table }) => table === 'grants').map((look) => look.rows)
    // One row for each member, and the table once: never the table for each member.
    expect(rows.length).toBeGreaterThan(0)
    expect(Math.max(...rows)).toBeLessThan(10_000)
  }
})

test('an app of very many environments is not read for each of them', async () => {
  const { member, account, app } = things
  await ctx.db`
    insert into environments
    select (jsonb_populate_record(e, jsonb_build_object(
      'id', gen_random_uuid(), 'name', 'more ' || n, 'name_key', 'more ' || n, 'index', 1000 + n))).*
    from environments e, generate_series(1, 3000) n
    where e.id = (select id from environments where app_id = ${app} limit 1)`
  await ctx.db`
    insert into grants (organisation_id, principal_id, app_id, environment_id, created_at)
    select e.organisation_id, p.id, e.app_id, e.id, now() from environments e, principals p
    where e.app_id = ${app} and (p.id in (${member}, ${account})
      or p.id in (select id from principals where role_kind = 'custom' limit 40)) on conflict do nothing`
  for (const table of ['environments', 'grants']) await ctx.db`vacuum analyze ${ctx.db(table)}`
  const names = ['members: findWithAccess', 'service-accounts: findWithAccess']
  const statements = Object.fromEntries(names.map((name) => [name, STATEMENTS[name] as Statements[string]]))
  const found = await looksOf(ctx, things, statements)
  expect([...found.keys()].sort()).toEqual(names)
  for (const looks of found.values()) {
    const rows = looks.filter(({ table }) => table === 'environments').map((look) => look.rows)
    expect(Math.max(...rows)).toBeLessThan(10_000)
  }
  // Of a page, the holders of its environments alone are counted.
  const list = 'environments: list, by creation'
  expect(await beyond(10_000, { [list]: STATEMENTS[list] as Statements[string] }, {})).toEqual([])
})

test('a page of versions is read by an index, however few the planner expects', async () => {
  const { environment } = things
  const [light] = await ctx.db<
    { id: string }[]
  >`select id from environments where id <> ${environment} limit 1`
  const id = light?.id ?? ''
  await ctx.db`
    insert into secret_versions
    select (jsonb_populate_record(v, jsonb_build_object('secret_id', gen_random_uuid(), 'environment_id', ${id}::text))).*
    from secret_versions v where environment_id = ${environment}`
  const page: Statements = {
    versions: (tx) => rekey.versions(tx, id, { id: rekey.BEFORE_ALL, version: 0 }),
  }
  for (const plans of PLANS) expect(await beyond(501, page, plans)).toEqual([])
})

test('an environment of which the statistics know nothing is not read once for each of its secrets', async () => {
  const { organisation, environment, developer } = things
  const tables = ['secrets', 'secret_versions', 'secret_overrides']
  for (const table of tables) {
    await ctx.db`alter table ${ctx.db(table)} set (autovacuum_enabled = false)`
    await ctx.db`delete from ${ctx.db(table)} where environment_id <> ${environment}`
    await ctx.db`analyze ${ctx.db(table)}`
  }
  const [other] = await ctx.db<{ id: string; app: string }[]>`
    select e.id, e.app_id as app from environments e join environment_keys k on k.environment_id = e.id
    where k.principal_id = ${developer.id} and e.id <> ${environment} limit 1`
  await ctx.db`
    insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
      version, created_at, updated_at)
    select gen_random_uuid(), ${organisation}, ${other?.app ?? ''}, ${other?.id ?? ''}, '/', 'x', sha256(n::text::bytea), 'x',
      '', '{}', 'secret', 1, now(), now() from generate_series(1, 3000) n`
  await ctx.db`
    insert into secret_versions (secret_id, version, organisation_id, app_id, environment_id, event, path, key, key_digest,
      value, comment, tags, type, actor_type, actor_id, actor_name, created_at)
    select id, 1, organisation_id, app_id, environment_id, 'created', path, key, key_digest, value, comment, tags, type,
      'user', ${developer.id}, 'Member', now() from secrets where environment_id = ${other?.id ?? ''}`
  await ctx.db`
    insert into secret_overrides (secret_id, principal_id, organisation_id, environment_id, id, value, is_active,
      created_at, updated_at)
    select id, ${developer.id}, organisation_id, environment_id, gen_random_uuid(), 'x', true, now(), now()
    from secrets where environment_id = ${other?.id ?? ''}`
  things = { ...things, environment: other?.id ?? '', app: other?.app ?? '' }
  for (const plans of PLANS) {
    expect(await beyond(20_000, { ...secretStatements, ...manyStatements }, plans)).toEqual([])
  }
}, 90_000)

test('a member of whose many grants the statistics know nothing is looked up environment by environment', async () => {
  const { organisation, account, developer, notGranted } = things
  await ctx.db`
    delete from grants where principal_id in (${account}, ${developer.id}) or environment_id = ${notGranted.environmentId}`
  for (const table of ['grants', 'environment_keys']) {
    await ctx.db`alter table ${ctx.db(table)} set (autovacuum_enabled = false)`
    await ctx.db`analyze ${ctx.db(table)}`
  }
  await ctx.db`
    insert into environment_keys (organisation_id, principal_id, app_id, environment_id, wrapped_seed, wrapped_salt, created_at)
    select organisation_id, p.id, app_id, e.id, 'x', 'x', now()
    from environments e, unnest(${[account, developer.id]}::uuid[]) as p (id)
    where organisation_id = ${organisation} and e.id <> ${notGranted.environmentId}
    on conflict do nothing`
  await ctx.db`
    insert into grants (organisation_id, principal_id, app_id, environment_id, created_at)
    select organisation_id, principal_id, app_id, environment_id, now() from environment_keys
    where principal_id in (${account}, ${developer.id}) on conflict do nothing`
  const all = await ctx.db`select 1 from grants`
  for (const [name, looks] of await looksOf(ctx, things, STATEMENTS)) {
    const most = Math.max(
      0,
      ...looks
        .filter(({ table }) => table !== 'secrets' || name.startsWith('secret'))
        .map(({ rows }) => rows),
    )
    // Each table once, never all pairs.
    expect([name, most > all.length ? most : 'few']).toEqual([name, 'few'])
  }
}, 90_000)

test('without statistics no statement reads a table again and again', async () => {
  const [largest] = await ctx.db<{ rows: number }[]>`
    select greatest((select count(*) from grants), (select count(*) from environment_keys))::int as rows`
  await ctx.db`delete from pg_statistic`
  await ctx.db`
    update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`
  for (const plans of PLANS) {
    expect(await beyond(largest?.rows ?? 0, { ...STATEMENTS, ...manyStatements }, plans)).toEqual([])
  }
}, 90_000)

/** The looks that read more rows than `most`, or passed over so many pairs, each with its statement's name. */
async function beyond(
  most: number,
  statements: Statements,
  plans: Readonly<Record<string, string>>,
): Promise<(Look & { name: string })[]> {
  const found = await looksOf(ctx, things, statements, () => {}, plans)
  return [...found].flatMap(([name, looks]) =>
    looks.filter(({ rows }) => rows > most).map((look) => ({ ...look, name })),
  )
}
