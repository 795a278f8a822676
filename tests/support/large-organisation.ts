import { type Database, openDatabase, type Transaction } from '../../src/platform/postgres/database.ts'
import type { TestContext } from './context.ts'
import { fillSecrets } from './large-secrets.ts'
import { fillAccounts, fillEntries, fillInvites } from './large-tables.ts'

/** How much of everything an organisation gets beside its Owner. Each app has three environments. */
export type OrganisationSize = Readonly<{
  members: number
  serviceAccounts: number
  apps: number
  roles: number
  invites: number
  entries: number
  /** How many apps each of them is granted; 10 unless told. */
  grantedApps?: number
  /** How many members are Admins at most; 20 unless told. */
  admins?: number
  /** How many secrets one environment has; then each other one has four. No environment has any unless told. */
  secrets?: number
}>

/** Some of its members: one of many grants is enough to read as. */
export type LargeOrganisation = Readonly<{ developerId: string; serviceAccountId: string }>

/**
 * Fills the organisation by SQL, and has the planner look at it. Each member and service account, but a few Admins, is
 * granted a few apps; keys, hashes and secrets are texts of the right length that open nothing.
 */
export async function fillOrganisation(ctx: TestContext, size: OrganisationSize): Promise<LargeOrganisation> {
  const db = openDatabase(ctx.database.config, { max: 1, deadlines: null })
  try {
    return await fill(db, ctx.clock.now(), size)
  } finally {
    await db.end({ timeout: 1 })
  }
}

async function fill(db: Database, now: Date, size: OrganisationSize): Promise<LargeOrganisation> {
  await db`set statement_timeout = 0`
  await db.begin(async (tx) => {
    // What is inserted breaks no foreign key: checking each would take most of the time.
    await tx`set local session_replication_role = replica`
    await tx`
      create temp table filling on commit preserve rows as
      select p.organisation_id, p.identity_key, p.wrapped_private_key, ${now}::timestamptz as now,
        'ph:v1:' || repeat('0', 64) || ':' || repeat('A', 140) as wrapped
      from principals p where p.role_kind = 'owner'`
    await fillRoles(tx, size)
    await fillPrincipals(tx, size)
    await fillApps(tx, size)
    await withoutIndexes(tx, ['grants', 'environment_keys'], () =>
      fillGrants(tx, Math.min(size.apps, size.grantedApps ?? 10)),
    )
    await fillAccounts(tx)
    await fillInvites(tx, size)
    await withoutIndexes(tx, ['audit_entries'], () => fillEntries(tx, size))
    await withoutIndexes(tx, ['secrets', 'secret_versions', 'secret_overrides'], () => fillSecrets(tx, size))
  })
  await db`vacuum (analyze)`
  const [made] = await db<LargeOrganisation[]>`
    select (select id from made_principals where type = 'member' and kind = 'developer' order by n desc limit 1) as "developerId",
      (select id from made_principals where type = 'service_account' order by n desc limit 1) as "serviceAccountId"`
  if (made === undefined) throw new Error('there is no organisation to fill')
  return made
}

/** Makes the indexes of tables, but those of constraints, after their rows: that is many times faster. */
async function withoutIndexes(
  tx: Transaction,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const indexes = await tx<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index i
    where indrelid = any(${[...tables]}::regclass[]) and not exists (select 1 from pg_constraint where conindid = i.indexrelid)`
  for (const { name } of indexes) await tx`drop index ${tx(name)}`
  await work()
  await tx`set local maintenance_work_mem = '256MB'`
  for (const { definition } of indexes) await tx.unsafe(definition)
}

async function fillRoles(tx: Transaction, { roles }: OrganisationSize): Promise<void> {
  await tx`
    insert into roles (id, organisation_id, kind, name, name_key, description, color, permissions, created_at, updated_at)
    select gen_random_uuid(), f.organisation_id, 'custom', 'Role ' || n, 'role ' || n, 'What it is for', '#336699',
      '{"permissions": {"Members": ["read"], "Logs": ["read"]}, "appPermissions": {"Environments": ["read"]}}',
      f.now + n * interval '1 minute', f.now
    from filling f, generate_series(1, ${roles}::int) n`
  await tx`
    create temp table made_roles as
    select id, kind, row_number() over (partition by kind order by created_at, id) as n from roles`
}

/** Members with their accounts, and service accounts; half of them have custom roles. */
async function fillPrincipals(
  tx: Transaction,
  { members, serviceAccounts, roles, admins = 20 }: OrganisationSize,
) {
  await tx`
    create temp table made_principals as
    with counted as (
      select 'member' as type, n, case when n <= least(${admins}::int, ${members}::int / 5) then 'admin'
        when n % 2 = 0 then 'custom' else 'developer' end as kind
      from generate_series(1, ${members}::int) n
      union all
      select 'service_account', n, case when n % 2 = 0 then 'custom' else 'service' end
      from generate_series(1, ${serviceAccounts}::int) n
    )
    select c.*, gen_random_uuid() as id, gen_random_uuid() as user_id, r.id as role_id,
      row_number() over (order by c.type, c.n) as place
    from counted c join made_roles r on r.kind = c.kind and r.n = case c.kind when 'custom' then 1 + c.n % ${roles}::int else 1 end`
  await tx`
    insert into principals (id, organisation_id, type, role_id, role_kind, identity_key, wrapped_private_key)
    select p.id, f.organisation_id, p.type, p.role_id, p.kind, f.identity_key, f.wrapped_private_key
    from made_principals p, filling f`
  await tx`
    insert into users (id, email, email_key, full_name, password_hash, email_verified_at, created_at, updated_at)
    select user_id, 'member-' || n || '@example.org', 'member-' || n || '@example.org', 'Member ' || n, repeat('x', 97),
      f.now, f.now + n * interval '1 second', f.now
    from made_principals, filling f where type = 'member'`
  await tx`
    insert into members (id, organisation_id, user_id, created_at, updated_at)
    select id, f.organisation_id, user_id, f.now + n * interval '1 second', f.now
    from made_principals, filling f where type = 'member'`
  await tx`
    insert into service_accounts (id, organisation_id, name, created_at, updated_at)
    select id, f.organisation_id, 'Service account ' || n, f.now + n * interval '1 second', f.now
    from made_principals, filling f where type = 'service_account'`
}

async function fillApps(tx: Transaction, { apps }: OrganisationSize): Promise<void> {
  await tx`
    create temp table made_apps as
    select n, gen_random_uuid() as id from generate_series(0, ${apps}::int - 1) n`
  await tx`
    create temp table made_environments as
    select a.n as app_n, a.id as app_id, index, gen_random_uuid() as id, row_number() over (order by a.n, index) - 1 as n
    from made_apps a, generate_series(0, 2) index`
  await tx`
    insert into apps (id, organisation_id, name, name_key, description, created_at, updated_at)
    select id, f.organisation_id, 'App ' || n, 'app ' || n, 'What it does', f.now + n * interval '1 second', f.now
    from made_apps, filling f`
  await tx`
    insert into environments (id, organisation_id, app_id, name, name_key, env_type, index, public_key, wrapped_seed,
      wrapped_salt, created_at, updated_at)
    select id, f.organisation_id, app_id, 'environment-' || index, 'environment-' || index, 'custom', index,
      repeat('0', 64), f.wrapped, f.wrapped, f.now + n * interval '1 second', f.now
    from made_environments, filling f`
}

/** Some apps each, in turn; and a copy of every key that a principal can use. */
async function fillGrants(tx: Transaction, each: number): Promise<void> {
  await tx`
    insert into grants (organisation_id, principal_id, app_id, environment_id, created_at)
    select f.organisation_id, p.id, e.app_id, e.id, f.now
    from filling f, made_principals p
    cross join generate_series(0, ${each}::int - 1) k
    join made_environments e on e.app_n = (p.place * 7 + k) % (select count(*) from made_apps)
    where p.kind <> 'admin'`
  await tx`
    insert into environment_keys (organisation_id, principal_id, app_id, environment_id, wrapped_seed, wrapped_salt, created_at)
    select g.organisation_id, g.principal_id, g.app_id, g.environment_id, f.wrapped, f.wrapped, f.now
    from grants g, filling f
    union all
    select f.organisation_id, p.id, e.app_id, e.id, f.wrapped, f.wrapped, f.now
    from filling f, principals p, made_environments e where p.role_kind in ('owner', 'admin')`
}
