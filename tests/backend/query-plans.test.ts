import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Context } from '../../src/context.ts'
import { EXPIRING } from '../../src/core/housekeeping.ts'
import * as due from '../../src/core/housekeeping-queries.ts'
import * as leftovers from '../../src/core/secrets/leftover-queries.ts'
import type { Transaction } from '../../src/platform/postgres/database.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { fillOrganisation } from '../support/large-organisation.ts'
import { owner } from '../support/people.ts'
import { explainedDatabase, type Look } from '../support/plans.ts'
import { recording, templatesIn } from '../support/sql-templates.ts'
import { accountStatements } from './query-plans/account-statements.ts'
import { attentionStatements } from './query-plans/attention-statements.ts'
import { auditStatements } from './query-plans/audit-statements.ts'
import { listStatements } from './query-plans/list-statements.ts'
import { organisationStatements } from './query-plans/organisation-statements.ts'
import { principalStatements } from './query-plans/principal-statements.ts'
import { secretStatements } from './query-plans/secret-statements.ts'
import { signInStatements } from './query-plans/sign-in-statements.ts'
import { type Statements, type Things, thingsOf } from './query-plans/statements.ts'

/*
 * Every statement of the core is sent to an organisation whose tables are large, and the server tells what it read: by
 * which index, and how many rows. A statement that isn't sent here fails the test, and so does a table without rows.
 */

const SIZE = {
  members: 4000,
  admins: 2,
  serviceAccounts: 1000,
  apps: 1000,
  roles: 1000,
  invites: 1000,
  entries: 20_000,
  grantedApps: 1,
  secrets: 1000,
}

/** A table is large from so many rows; a statement may read so many of it. */
const [LARGE, MOST] = [1000, 500]

/** Tables that stay small, each with its reason. */
const SMALL: Readonly<Record<string, string>> = {
  deleted_environments:
    'those that have left more than was deleted with them, until the worker has been there',
  deployment: 'it has one row',
  organisations: 'one for a deployment',
  schema_floor: 'it has one row',
  schema_migrations: 'one for each migration',
  state_changes: 'the transactions under way',
  state_version: 'it has one row',
}

/** The same excuse for several statements. */
function each(
  names: readonly string[],
  tables: string,
  reason: string,
): Record<string, readonly [tables: string, reason: string]> {
  return Object.fromEntries(names.map((name) => [name, [tables, reason] as const]))
}

/** Statements that read much of a large table, each with the tables and the reason. */
const EXCUSED: Readonly<Record<string, readonly [tables: string, reason: string]>> = {
  'apps: list, whole': ['apps, environments', 'a list without a limit gives everything'],
  ...each(
    ['members: list, whole', 'members: list, whole, by role'],
    'environments, grants, members, principals, roles, users',
    'a list without a limit gives everything',
  ),
  'service-accounts: list, whole': [
    'environments, grants, principals, roles, service_accounts, tokens',
    'a list without a limit gives everything',
  ],
  ...each(
    [
      'members: list',
      'members: list, later',
      'members: list, by name',
      'members: list, by name, later',
      'members: list, by name, descending, later',
      'members: list, by e-mail',
      'members: list, by role',
      'members: list, by role, later',
      'members: list, by role, descending, later',
      'members: list, newest first',
      'members: list, seen last',
      'members: list, never seen',
    ],
    'environments',
    'they are counted, once, where a member of the page has global access',
  ),
  ...each(
    [
      'members: list, search',
      'members: list, search, by role',
      'members: count, search',
      'service-accounts: list, search',
      'service-accounts: countMatching, search',
      'roles: list, search',
      'roles: count, search',
      'apps: list, search',
      'apps: count, search',
      'invites: list, search',
      'invites: count, search',
    ],
    'apps, environments, invites, members, principals, roles, service_accounts, users',
    'a text within names is looked for in all of them: no index of PostgreSQL alone finds it',
  ),
  ...each(
    ['members: count', 'service-accounts: countMatching', 'apps: count', 'invites: count', 'roles: count'],
    'apps, invites, members, roles, service_accounts',
    'a page tells how many there are in all',
  ),
  ...each(
    ['members: list, without access', 'members: count, without access'],
    'environments, grants, members, principals, users',
    'whoever has no grant is in no index',
  ),
  ...each(
    ['roles: list', 'roles: list, later', 'roles: list, by name', 'roles: list, by creation'],
    'principals, roles',
    'the holders of each role are counted, and there are at most 1,000 custom roles',
  ),
  'members: findWithAccess, of the Owner': ['apps, environments', 'global access is to everything'],
  'me: keysOf, of the Owner': [
    'apps, environment_keys, environments',
    'whoever has global access has a copy of every key',
  ],
  'secrets: list': ['secrets', 'a list gives everything: an environment has at most 5,000'],
  'secrets: list, of the Owner': ['secrets', 'a list gives everything: an environment has at most 5,000'],
  'secrets: list, tags': ['secrets', 'tags are looked for in one environment, which has at most 5,000'],
  'secrets: count': ['secrets', 'there are at most 5,000 in one environment, counted where some are created'],
  'room: sizes': ['secrets', 'there are at most 5,000 in one environment, measured where some are changed'],
  'secret-expiry: claimExpiring': [
    'secrets',
    'there are at most 5,000 in one environment, and few environments have some to tell of',
  ],
  'secret-versions: environmentsBeyond': [
    'environments',
    'the worker looks for them: an index of what each change counts would cost each change',
  ],
  ...each(
    ['secret-versions: countBytes', 'secret-versions: removeOldest'],
    'secrets, secret_versions',
    'the versions of one environment are counted where they may take too much: after each 2 MiB of new ones',
  ),
  'secret-versions: statesAt': [
    'secrets, secret_versions',
    'it tells of everything that one environment has, or had at a time',
  ],
  ...each(
    ['rekey: secrets', 'rekey: secrets, later', 'rekey: versions'],
    'secrets, secret_versions',
    'what is left of an environment is sorted where it is little more than a page',
  ),
  'environments: list': ['secrets', 'there are at most 5,000 in one environment, and they are counted'],
  'environments: list, by name': [
    'secrets',
    'there are at most 5,000 in one environment, and they are counted',
  ],
  'environments: list, by creation': [
    'secrets',
    'there are at most 5,000 in one environment, and they are counted',
  ],
  'secrets: expiring, of the Owner': [
    'environments, secrets',
    'it counts up to 1,000 of those that have expired, each in its environment',
  ],
  'principals: environmentsWithoutCopy': ['environments', 'a promotion copies every key'],
  'invites: countPending': ['invites', 'there are at most 1,000 pending ones'],
  'invites: closeExpired': ['invites', 'there are at most 1,000 pending ones'],
  'roles: countCustom': ['roles', 'there are at most 1,000'],
  'apps: countAll': ['apps', 'there are at most 5,000, counted where one is created'],
  'environments: counts': ['environments', 'there are at most 10,000, counted where some are created'],
  'service-accounts: count': ['service_accounts', 'there are at most 10,000, counted where one is created'],
  'passkeys: countForeign': ['passkeys', 'it is asked once, when a backend starts'],
  'housekeeping: removeExpired': [
    'environments, invites, sessions',
    'the worker looks for what nobody has used: an index of that would cost each use',
  ],
}

const STATEMENTS: Statements = {
  ...listStatements,
  ...organisationStatements,
  ...principalStatements,
  ...accountStatements,
  ...signInStatements,
  ...attentionStatements,
  ...auditStatements,
  ...secretStatements,
}

let ctx: TestContext
let things: Things

beforeAll(async () => {
  ctx = await testContext()
  await owner(ctx)
  things = await thingsOf(ctx, await fillOrganisation(ctx, SIZE))
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
    ['audit_entries_refused', 'audit: countDenials', 'audit_entries'],
    ['audit_entries_by_accessed_environment', 'audit: list, environment', 'audit_entries'],
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
      await looksOf({ [name]: STATEMENTS[name] as Statements[string] }, () => {})
    ).values()
    const rows = looks.filter(({ table }) => table === 'grants').map((look) => look.rows)
    // One row for each member, and the table once: never the table for each member.
    expect(rows.length).toBeGreaterThan(0)
    expect(Math.max(...rows)).toBeLessThan(10_000)
  }
})

test('what a member can open is looked up grant by grant, also in an app of very many environments', async () => {
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
  const found = await looksOf(statements, () => {})
  expect([...found.keys()].sort()).toEqual(names)
  for (const looks of found.values()) {
    const rows = looks.filter(({ table }) => table === 'environments').map((look) => look.rows)
    expect(Math.max(...rows)).toBeLessThan(10_000)
  }
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
  for (const [name, looks] of await looksOf(secretStatements, () => {})) {
    const most = Math.max(0, ...looks.map(({ rows }) => rows))
    expect([name, most > 20_000 ? most : 'few']).toEqual([name, 'few'])
  }
}, 90_000)

test('a part of what is due is found by an index, also where everything is due', async () => {
  const later = new Date('2100-01-01T00:00:00Z')
  const [rows, idle] = [50, { unusedSince: later, expiresBefore: later }]
  await ctx.db`update audit_entries set coalesce_key = uuid_send(id)`
  await ctx.db`vacuum analyze audit_entries`
  const statements: Record<string, Statements[string]> = {
    sessions: (tx) => due.removeSessions(tx, later, idle, rows),
    invites: (tx) => due.closeInvites(tx, later, rows),
    audit_entries: (tx) => due.endCoalescing(tx, later, rows),
  }
  for (const table of [...EXPIRING, 'tokens']) {
    statements[table] = (tx) => due.removeExpired(tx, table, later, rows)
  }
  const large = await largeTables()
  for (const [table, looks] of await looksOf(statements, () => {})) {
    expect([table, large.has(table)]).toEqual([table, true])
    const excessive = looks.filter((look) => large.has(look.table) && isExcessive(look))
    expect([table, excessive]).toEqual([table, []])
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
  for (const [name, looks] of await looksOf(STATEMENTS, () => {})) {
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

test('deleted environments that have left nothing read none of what others have', async () => {
  const tables = ['secrets', 'secret_versions'] as const
  // Few environments have it all: a row of one is soon found by reading the table.
  for (const table of tables) await ctx.db`analyze ${ctx.db(table)}`
  const found = await looksOf(
    {
      leftovers: async (db) => {
        await db`insert into deleted_environments select gen_random_uuid() from generate_series(1, 100)`
        for (const table of tables) await leftovers.remove(db, table, 10_000)
        await leftovers.forgetEmpty(db)
        expect(await db`select 1 from deleted_environments`).toHaveLength(0)
      },
    },
    () => {},
  )
  const rows = [...found.values()].flat().filter(({ table }) => (tables as readonly string[]).includes(table))
  expect(rows.length).toBeGreaterThan(0)
  expect(Math.max(...rows.map((look) => look.rows))).toBeLessThan(1000)
})

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
  const all = [...(await looksOf(statements, record))].map(([name, looks]) => {
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

/** Sends each statement in a transaction that is rolled back; what it looked at, by the statement's name. */
async function looksOf(statements: Statements, record: (text: string) => void): Promise<Map<string, Look[]>> {
  const explained = await explainedDatabase(ctx.database.config)
  const found = new Map<string, Look[]>()
  const db = recording(explained.db, record)
  try {
    for (const [name, send] of Object.entries(statements)) {
      explained.looks()
      await db
        .begin(async (tx) => {
          // Whatever begins a transaction of its own is in this one.
          await send(tx, things, { ...ctx, db: asPool(tx) } as unknown as Context)
          throw new RolledBack()
        })
        .catch((error: unknown) => {
          if (!(error instanceof RolledBack)) throw new Error(`${name} failed`, { cause: error })
        })
      found.set(name, explained.looks())
    }
    return found
  } finally {
    await explained.end()
  }
}

class RolledBack extends Error {}

/** A transaction in the place of a pool. */
const asPool = (tx: Transaction) =>
  new Proxy(tx, {
    get: (target, name) => {
      if (name === 'deadlines') return ctx.db.deadlines
      if (name === 'begin') return (work: (tx: Transaction) => unknown) => work(target)
      if (name === 'beginWithin') return (_: number, work: (tx: Transaction) => unknown) => work(target)
      return Reflect.get(target, name)
    },
  })
