import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes, randomUUID } from 'node:crypto'
import { type Database, openDatabase, type Transaction } from '../../src/platform/postgres/database.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { member, owner, type Person, session } from '../support/people.ts'

/** Tables whose changes renew the version, each with the changes that don't count. */
const WATCHED: Readonly<Record<string, string>> = {
  apps: '',
  deployment: '',
  environment_keys: '',
  environments: '',
  grants: '',
  invites: '',
  members: 'last_seen_at',
  organisations: '',
  passkeys: 'counter,last_used_at',
  principals: '',
  roles: '',
  schema_migrations: '',
  secret_overrides: '',
  secret_versions: '',
  secrets: '',
  service_accounts: '',
  session_tokens: 'insert',
  sessions: 'insert, last_used_at',
  tokens: 'last_used_at',
  totp_secrets: 'last_step',
  users: '',
}

/** Tables whose changes don't renew the version, each with its reason. A new table belongs to one of these lists. */
const NOT_WATCHED: Readonly<Record<string, string>> = {
  audit_access_changes: 'the audit log is read from the database each time',
  audit_entries: 'the audit log is read from the database each time',
  deleted_environments: 'only deletions and the worker read it',
  email_links: 'links are looked up each time, and stand in no answer',
  recovery_codes: 'they are used up at sign-in, and stand in no answer',
  schema_floor: 'only programs that start read it',
  second_factor_tickets: 'sign-ins that wait are looked up each time',
  sign_in_attempts: 'attempts are counted each time, and stand in no answer',
  sso_identities: 'sign-ins look them up each time, and no answer from memory shows them',
  sso_used_states: 'sign-ins look them up each time',
  state_changes: 'it holds what is to renew the version',
  state_version: 'it is the version',
  used_challenges: 'sign-ins look them up each time',
}

let ctx: TestContext
let aside: Database
let ada: Person

beforeAll(async () => {
  ctx = await testContext()
  aside = openDatabase(ctx.database.config, { max: 1 })
  ada = await owner(ctx)
})
afterAll(async () => {
  await aside.end()
  await ctx.close()
})

const versionOf = async (db: Database | Transaction = aside): Promise<string> =>
  (await db<{ version: string }[]>`select version from state_version`)[0]?.version ?? ''

/** How often the version is renewed while `work` runs: it is counted by a trigger. */
let renewals = 0
beforeEach(async () => {
  await aside`create table if not exists renewals (at timestamptz default clock_timestamp())`
  await aside.unsafe(`create or replace function count_renewal() returns trigger language plpgsql as
    'begin insert into renewals default values; return null; end';
    create or replace trigger count_renewal after update on state_version for each row execute function count_renewal()`)
  renewals = await counted()
})
const counted = async () =>
  (await aside<{ count: number }[]>`select count(*)::int from renewals`)[0]?.count ?? 0
const renewed = async () => (await counted()) - renewals

test('every table renews the version of the state when it is changed, or is excused with a reason', async () => {
  const tables = await aside<{ name: string; triggers: string[] }[]>`
    select c.relname as name,
      coalesce(array_agg(pg_get_triggerdef(t.oid) order by t.tgname) filter (where t.tgenabled = 'A'), '{}') as triggers
    from pg_class c
    left join pg_trigger t on t.tgrelid = c.oid and t.tgfoid = 'note_state_change'::regproc
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'renewals'
    group by c.relname`
  const found = tables.filter(({ triggers }) => triggers.length > 0)
  expect(Object.fromEntries(found.map(({ name, triggers }) => [name, excused(triggers)]))).toEqual(WATCHED)
  const others = tables.filter(({ triggers }) => triggers.length === 0).map(({ name }) => name)
  expect(others.sort()).toEqual(Object.keys(NOT_WATCHED).sort())
})

/** What the triggers of a table leave out: of inserts, updates, deletes and truncates, and of the columns. */
function excused(triggers: readonly string[]): string {
  const text = triggers.join('\n').toLowerCase()
  const events = ['insert', 'update', 'delete', 'truncate'].filter(
    (event) => !new RegExp(`(after|or) ${event}\\b`).test(text),
  )
  const columns = /'\{([a-z_,]+)\}'/.exec(text)?.[1]
  return [...events, ...(columns === undefined ? [] : [columns])].join(', ')
}

describe('the version', () => {
  test('is renewed once by a transaction, whatever it does', async () => {
    const before = await versionOf()
    await ctx.db.begin(async (tx) => {
      await tx`update roles set color = '#101010'`
      await tx`update organisations set name = 'Renamed'`
      await tx`savepoint one`
      await tx`update users set full_name = 'Grace'`
      await tx`rollback to savepoint one`
      await tx`update roles set color = ''`
      expect(await versionOf(tx)).toBe(before)
    })
    expect(await versionOf()).not.toBe(before)
    expect(await renewed()).toBe(1)
    expect(await aside`select 1 from state_changes`).toHaveLength(0)
  })

  test('is not renewed by what is rolled back, nor by what was rolled back to a savepoint', async () => {
    await expect(
      ctx.db.begin(async (tx) => {
        await tx`update roles set color = '#202020'`
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await ctx.db.begin(async (tx) => {
      await tx`savepoint one`
      await tx`update roles set color = '#202020'`
      await tx`rollback to savepoint one`
    })
    expect(await renewed()).toBe(0)
  })

  test('is renewed again by what a deferred trigger changes after it', async () => {
    await aside.unsafe(`create function rename_late() returns trigger language plpgsql as
        'begin update organisations set name = ''Late''; return null; end';
      create constraint trigger rename_late after update on apps deferrable initially deferred
        for each row execute function rename_late()`)
    const app = {
      id: randomUUID(),
      name: 'Late',
      name_key: 'late',
      created_at: new Date(),
      updated_at: new Date(),
    }
    await aside`insert into apps ${aside({ ...app, organisation_id: (await organisation()) ?? '' })}`
    const before = await renewed()
    await aside.begin(async (tx) => {
      await tx`update roles set color = '#606060'`
      await tx`update apps set description = 'x'`
    })
    expect((await renewed()) - before).toBe(2)
    await aside`drop function rename_late cascade`
  })

  test('is renewed by every way to change a row by hand', async () => {
    await aside.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`update roles set color = '#303030'`
    })
    await aside`truncate session_tokens`
    await aside.unsafe(
      'set constraints all immediate; update roles set color = $$$$; update roles set color = $$$$',
    )
    expect(await renewed()).toBe(3)
  })

  test('is renewed by what the database deletes by itself, with what it refers to', async () => {
    const grace = await member(ctx, 'developer')
    await session(ctx, grace.userId)
    const before = await renewed()
    await aside`delete from sessions where user_id = ${grace.userId}`
    expect((await renewed()) - before).toBe(1)
  })

  test('is not renewed by a last use, by a new session, nor by a rule that was read', async () => {
    await session(ctx, ada.userId)
    await aside`update tokens set last_used_at = now()`
    await aside`update sessions set last_used_at = now()`
    await aside`update members set last_seen_at = now()`
    await aside`select 1 from organisations for no key update`
    await aside`insert into session_tokens (hash, session_id, expires_at)
      select ${randomBytes(32)}, id, now() from sessions`
    expect(await renewed()).toBe(0)
  })

  test('is renewed by every other column of a token and of a session, and by those that come later', async () => {
    await session(ctx, ada.userId)
    await aside`update tokens set expires_at = now(), last_used_at = now()`
    await aside`update sessions set expires_at = now() + interval '1 day'`
    await aside`alter table sessions add column later text`
    await aside`update sessions set later = 'x'`
    expect(await renewed()).toBe(3)
  })

  test('is back where the state is', async () => {
    const saved = await versionOf()
    await aside`begin`
    await aside`update roles set color = '#404040'`
    await aside`rollback`
    expect(await versionOf()).toBe(saved)
  })

  test('is the last lock that a transaction takes: two that meet in the middle don’t wait for it', async () => {
    await ctx.db.begin(async (one) => {
      await one`update organisations set name = 'One'`
      await ctx.db.begin(async (other) => await other`update roles set color = '#505050'`)
    })
    expect(await renewed()).toBe(2)
  })
})

const organisation = async () => (await aside<{ id: string }[]>`select id from organisations`)[0]?.id
