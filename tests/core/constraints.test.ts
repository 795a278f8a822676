import { afterAll, beforeAll, expect, test } from 'bun:test'
import { CONSTRAINT_ERRORS } from '../../src/core/constraints.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

/** Rules of the schema that no request can run into, so that they need no sentence: by reason. */
const NEVER_MET: Readonly<Record<string, readonly string[]>> = {
  'what is unique is random, or the hash of what is random': [
    'recovery_codes_pkey',
    'second_factor_tickets_pkey',
    'session_tokens_pkey',
    'sessions_cookie_hash_key',
    'tokens_hash_key',
  ],
  'whoever writes it holds the row of the organisation or of the deployment, and has looked': [
    'deployment_organisation_id_fkey',
    'deployment_organisation_id_key',
    'environment_keys_organisation_id_app_id_environment_id_fkey',
    'environment_keys_organisation_id_principal_id_fkey',
    'environment_keys_pkey',
    'environments_index_unique',
    'environments_organisation_id_app_id_fkey',
    'grants_pkey',
    'invites_organisation_id_invited_by_fkey',
    'members_organisation_id_principal_id_principal_type_fkey',
    'roles_default_unique',
    'service_accounts_organisation_id_id_principal_type_fkey',
  ],
  'the insert itself handles it, with `on conflict`': [
    'audit_access_changes_pkey',
    'audit_entries_coalesce_key_key',
    'secret_overrides_pkey',
    'sign_in_attempts_pkey',
    'sso_used_states_pkey',
    'totp_secrets_pkey',
    'used_challenges_pkey',
    'state_changes_pkey',
    'state_version_pkey',
  ],
  'whoever writes it holds the row of the environment, and counts on from the newest': [
    'secret_versions_pkey',
  ],
  'the shape of the body is checked before': ['secrets_key_digest', 'secrets_path', 'secrets_type'],
  'accounts are never deleted': [
    'email_links_user_id_fkey',
    'members_user_id_fkey',
    'passkeys_user_id_fkey',
    'recovery_codes_user_id_fkey',
    'second_factor_tickets_user_id_fkey',
    'sessions_user_id_fkey',
    'sso_identities_user_id_fkey',
    'totp_secrets_user_id_fkey',
  ],
  'it is read from four bytes without a sign': ['passkeys_counter_check'],
  'the same statement holds the row that it refers to': ['session_tokens_session_id_fkey'],
  'no value of a request is stored there, only what the program chooses or computes': [
    'audit_entries_actor_id_check',
    'audit_entries_actor_type_check',
    'audit_entries_count_check',
    'deployment_pkey',
    'deployment_singleton_check',
    'email_links_purpose_check',
    'email_links_removes_factors_check',
    'environments_env_type_check',
    'environments_index_check',
    'invites_check',
    'invites_check1',
    'invites_state_check',
    'members_check',
    'principals_type_check',
    'recovery_codes_hash_check',
    'roles_check',
    'roles_kind_check',
    'secret_versions_actor_type',
    'secret_versions_event',
    'secret_versions_key_digest_check',
    'secret_versions_type',
    'secret_versions_version_check',
    'secrets_version',
    'second_factor_tickets_browser_hash_check',
    'second_factor_tickets_hash_check',
    'second_factor_tickets_password_digest_check',
    'session_tokens_hash_check',
    'sessions_cookie_hash_check',
    'sessions_method',
    'state_version_singleton_check',
    'tokens_format',
    'tokens_hash_check',
    'tokens_wrapped_key_share',
    'tokens_wrapped_key_share_form',
    'totp_secrets_check',
    'used_challenges_hash_check',
  ],
}

/** Rules that are excused by their form, whatever their table. */
const FORMS_NEVER_MET: Readonly<Record<string, RegExp>> = {
  'ids are random': /^PRIMARY KEY \(id\)$/,
  'it holds an id, which is unique already: it is there for foreign keys to refer to':
    /^UNIQUE \(.*\bid\b.*\)$/,
  'organisations are never deleted': /^FOREIGN KEY \(organisation_id\) REFERENCES organisations\(id\)$/,
}

let database: TestDatabase
let rules: Map<string, string>

beforeAll(async () => {
  database = await testDatabase()
  rules = await rulesOf(database)
})
afterAll(() => database.drop())

test('every constraint of the schema that a request can violate has an error', () => {
  const excused = new Set(Object.values(NEVER_MET).flat())
  const forms = Object.values(FORMS_NEVER_MET)
  const silent = [...rules].filter(
    ([name, definition]) =>
      !(name in CONSTRAINT_ERRORS) && !excused.has(name) && !forms.some((form) => form.test(definition)),
  )
  expect(
    silent.map(([name, definition]) => `${name}: ${definition}`),
    'Give each of these a sentence in core/constraints.ts, or the reason here why no request can run into it.',
  ).toEqual([])
})

test('every error, and every exception, is for a constraint of the schema, and none has both', () => {
  const excused = Object.values(NEVER_MET).flat()
  expect([...Object.keys(CONSTRAINT_ERRORS), ...excused].filter((name) => !rules.has(name))).toEqual([])
  expect(excused.filter((name) => name in CONSTRAINT_ERRORS)).toEqual([])
})

test('the schema is the one that is meant', () => {
  expect(rules.size).toBeGreaterThan(50)
  expect(rules.has('roles_name_unique')).toBe(true)
})

/** Constraints, unique indexes, and what triggers raise in the name of a constraint: names to definitions. */
async function rulesOf({ db }: TestDatabase): Promise<Map<string, string>> {
  const rows = await db<{ name: string; definition: string }[]>`
    select c.conname as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c
    where c.connamespace = 'public'::regnamespace and c.contype in ('c', 'f', 'p', 'u', 'x')
      and c.conrelid not in ('schema_migrations'::regclass, 'schema_floor'::regclass)
    union all
    select i.relname, pg_get_indexdef(i.oid)
    from pg_index x join pg_class i on i.oid = x.indexrelid
    where i.relnamespace = 'public'::regnamespace and x.indisunique
      and not exists (select 1 from pg_constraint c where c.conindid = i.oid and c.contype in ('p', 'u', 'x'))
    union all
    select raised[1], 'raised by ' || f.proname
    from pg_proc f, regexp_matches(f.prosrc, 'constraint = ''([a-z_]+)''', 'g') as raised
    where f.pronamespace = 'public'::regnamespace`
  return new Map(rows.map(({ name, definition }) => [name, definition]))
}
