import type { Transaction } from '../../src/platform/postgres/database.ts'
import type { OrganisationSize } from './large-organisation.ts'

/*
 * What `fillOrganisation` fills last. Each statement reads the temporary tables that it made before: `filling`, and the
 * ids of what it `made`.
 */

/** What an account has to sign in with, and what signing in leaves: one of each. Tokens of everybody. */
export async function fillAccounts(tx: Transaction): Promise<void> {
  const hash = tx`sha256(uuid_send(gen_random_uuid()))`
  await tx`
    insert into tokens (id, organisation_id, principal_id, name, hash, created_at, expires_at, created_by)
    select gen_random_uuid(), f.organisation_id, p.id, 'Token ' || k, ${hash}, f.now, f.now + interval '90 days', p.id
    from filling f, made_principals p, generate_series(1, 3) k`
  await tx`
    insert into sessions (id, user_id, cookie_hash, created_at, last_used_at, expires_at)
    select gen_random_uuid(), user_id, ${hash}, f.now, f.now, f.now + interval '30 days'
    from filling f, made_principals where type = 'member'`
  await tx`
    insert into session_tokens (hash, session_id, expires_at)
    select ${hash}, s.id, f.now + interval '15 minutes' from filling f, sessions s`
  await tx`
    insert into passkeys (id, user_id, rp_id, credential_id, public_key, counter, transports, name, created_at)
    select gen_random_uuid(), user_id, 'localhost', ${hash}, ${hash}, 0, '{internal}', 'Laptop', f.now
    from filling f, made_principals where type = 'member'`
  await tx`
    insert into totp_secrets (user_id, wrapped_secret, last_step, created_at, confirmed_at)
    select user_id, f.wrapped, 1, f.now, f.now from filling f, made_principals where type = 'member'`
  await tx`
    insert into recovery_codes (user_id, hash) select user_id, ${hash} from made_principals where type = 'member'`
  await tx`
    insert into sso_identities (id, user_id, provider, issuer, subject, created_at)
    select gen_random_uuid(), user_id, 'example', 'https://example.org', n::text, f.now
    from filling f, made_principals where type = 'member'`
  await tx`
    insert into email_links (id, user_id, purpose, nonce, created_at, expires_at)
    select gen_random_uuid(), user_id, 'reset-password', ${hash}, f.now, f.now + interval '1 hour'
    from filling f, made_principals where type = 'member'`
  await tx`
    insert into second_factor_tickets (hash, user_id, browser_hash, password_digest, created_at, expires_at)
    select ${hash}, user_id, ${hash}, ${hash}, f.now, f.now + interval '5 minutes'
    from filling f, made_principals where type = 'member'`
  for (const table of ['sso_used_states', 'used_challenges']) {
    await tx`
      insert into ${tx(table)} (hash, expires_at)
      select ${hash}, f.now + interval '5 minutes' from filling f, made_principals where type = 'member'`
  }
  await tx`
    insert into sign_in_attempts (key, window_start, expires_at, count)
    select encode(${hash}, 'hex'), f.now, f.now + interval '1 minute', 1
    from filling f, made_principals where type = 'member'`
}

/** Pending invites, and three times as many that were accepted. */
export async function fillInvites(tx: Transaction, { invites }: OrganisationSize): Promise<void> {
  await tx`
    insert into invites (id, organisation_id, email, email_key, role_id, role_kind, state, nonce, invited_by, created_at,
      expires_at, closed_at)
    select gen_random_uuid(), f.organisation_id, 'guest-' || i || '@example.org', 'guest-' || i || '@example.org',
      case when is_pending then r.id end, case when is_pending then r.kind end,
      case when is_pending then 'pending' else 'accepted' end, '\\x00', p.id, f.now + i * interval '1 second',
      f.now + interval '14 days', case when not is_pending then f.now end
    from filling f, generate_series(1, ${invites}::int * 4) i
    cross join lateral (select i % 4 = 0 as is_pending) s
    join made_roles r on r.kind = 'developer'
    join made_principals p on p.type = 'service_account' and p.n = 1`
}

/**
 * Of twenty entries: eight are of one service account's changes of environments, two of apps, four are sign-ins, two are
 * changes of access, and one each is a new token, a changed role, an ended session, and what somebody without a membership
 * was refused.
 */
export async function fillEntries(tx: Transaction, { entries }: OrganisationSize): Promise<void> {
  await tx`
    insert into audit_entries (id, organisation_id, event_type, resource_type, resource_id, app_id, environment_id,
      actor_type, actor_id, actor_metadata, resource_metadata, old_values, new_values, description, ip_address, user_agent,
      request_id, timestamp)
    select gen_random_uuid(), f.organisation_id, event_type, split_part(event_type, '.', 1),
      case when environment_id is not null then environment_id when app_id is not null then app_id
        when event_type = 'user.signed_in' then user_id::text else member_id::text end::text,
      app_id, environment_id,
      case when environment_id is null then 'user' else 'service_account' end,
      case when environment_id is not null then account_id when event_type = 'user.signed_in' then user_id else member_id end,
      json_build_object('name', 'Member', 'role', case when event_type not like '%_refused' then 'Developer' end),
      '{"name": "What it is called"}',
      '{"name": "before"}', '{"name": "after"}', 'Something happened that takes a sentence to tell.', '192.0.2.1',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)', gen_random_uuid()::text,
      f.now - n * interval '1 second'
    from filling f, (
      select i.n, i.event_type, m.id as member_id, m.user_id,
        (select id from made_principals where type = 'service_account' and n = 1) as account_id,
        case when i.event_type like 'environment.%' or i.event_type like 'app.%' then e.app_id::text end as app_id,
        case when i.event_type like 'environment.%' then e.id::text end as environment_id
      from (
        select n, (array_fill('environment.updated'::text, array[8]) || array_fill('app.updated'::text, array[2])
          || array_fill('user.signed_in'::text, array[4]) || array_fill('member.access_changed'::text, array[2])
          || '{token.created,role.updated,session.ended,role.read_refused}'::text[])[1 + n % 20] as event_type,
          hashint8(n) & 2147483647 as chance
        from generate_series(1, ${entries}::int) n
      ) i
      join made_environments e on e.n = i.chance % (select count(*) from made_environments)
      join made_principals m on m.type = 'member' and m.n = 1 + i.chance % (select count(*) from made_principals where type = 'member')
    ) entry`
  // As the trigger does, which this transaction doesn't call.
  await tx`
    insert into audit_access_changes
    select e.id, a.timestamp, a.id, a.actor_id, a.resource_id::uuid, true, true
    from audit_entries a
    join made_environments e on e.n = (hashint8(extract(epoch from a.timestamp)::bigint) & 2147483647) % (select count(*) from made_environments)
    where a.event_type = 'member.access_changed'`
}
