import type { Transaction } from '../../src/platform/postgres/database.ts'
import type { OrganisationSize } from './large-organisation.ts'

/**
 * Secrets: many in an environment of the Developer that `fillOrganisation` gives, four in each other one, and
 * in each a deleted one. A few have had more versions than are kept, and a few deletions are old. A quarter has
 * expired and was told of, a quarter expires in a year, and a few expire soon: of those nobody was told.
 */
export async function fillSecrets(tx: Transaction, { secrets = 0 }: OrganisationSize): Promise<void> {
  if (secrets === 0) return
  await tx`
    create temp table made_secrets as
    select gen_random_uuid() as id, e.id as environment_id, e.app_id, k.n, i, i = 0 as is_deleted,
      1 + i % 2 + case when i > 0 and k.n % 2000 = 3 then 148 else 0 end as version
    from made_environments e
    cross join lateral generate_series(0, case when e.id = (
      select g.environment_id from grants g join made_environments own on own.id = g.environment_id
      where own.index = 0 and g.principal_id = (
        select id from made_principals where type = 'member' and kind = 'developer' order by n desc limit 1)
      limit 1) then ${secrets}::int else 4 end) i
    cross join lateral (select e.n * 5 + i as n) k`
  await tx`analyze made_secrets`
  const sealed = tx`case when s.i % 10 < 3 then '/folder-' || s.i % 10 else '/' end, f.wrapped, sha256(uuid_send(s.id)), f.wrapped, ''`
  const labels = tx`case when s.i % 50 = 0 then '{rare}'::text[] else '{frequent}' end, 'secret'`
  await tx`
    insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
      version, expires_at, reminded_expiry, created_at, updated_at)
    select s.id, f.organisation_id, s.app_id, s.environment_id, ${sealed}, ${labels},
      s.version, expires_at, case when expires_at < f.now then expires_at end, f.now + s.n * interval '1 second', f.now
    from filling f, made_secrets s
    cross join lateral (select f.now + case when s.n % 500 = 1 then interval '1 day' when s.n % 4 = 1 then interval '-20 days'
      when s.n % 4 = 2 then interval '1 year' end as expires_at) e
    where not is_deleted`
  await tx`
    insert into secret_versions (secret_id, version, organisation_id, app_id, environment_id, event, path, key, key_digest,
      value, comment, tags, type, actor_type, actor_id, actor_name, created_at)
    select s.id, v, f.organisation_id, s.app_id, s.environment_id,
      case when v = 1 then 'created' when is_deleted and v = last then 'deleted' else 'updated' end, ${sealed}, ${labels},
      'user', p.id, 'Member', f.now - case when s.n % 500 = 0 then interval '100 days' else interval '1 day' end
    from filling f
    join made_principals p on p.type = 'member' and p.n = 1
    cross join made_secrets s
    cross join lateral (select case when is_deleted then s.version + 1 else s.version end as last) l
    cross join lateral generate_series(1, last) v`
  await tx`
    insert into secret_overrides (secret_id, principal_id, organisation_id, environment_id, id, value, is_active, created_at,
      updated_at)
    select s.id, m.id, f.organisation_id, s.environment_id, gen_random_uuid(), f.wrapped, true, f.now, f.now
    from filling f, made_secrets s
    join environment_keys k on k.environment_id = s.environment_id
    join members m on m.id = k.principal_id
    where s.i = 1`
}
