-- Secrets: key, value and comment are sealed for the environment's public key. The rest is in clear: a keyed digest of
-- the key, the path, the tags, the type, the version, when and who.
create table secrets (
  id uuid primary key,
  organisation_id uuid not null,
  app_id uuid not null,
  environment_id uuid not null,
  path text collate "C" not null constraint secrets_path check (path like '/%'),
  key text not null,
  key_digest bytea not null constraint secrets_key_digest check (length(key_digest) = 32),
  value text not null,
  comment text not null,
  tags text[] not null,
  type text not null constraint secrets_type check (type in ('secret', 'sealed', 'config')),
  version integer not null constraint secrets_version check (version > 0),
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organisation_id, environment_id, id),
  -- Checked at the end of each statement, so that two secrets can change places in one.
  constraint secrets_key_unique unique (environment_id, path, key_digest) deferrable initially immediate,
  constraint secrets_environment foreign key (organisation_id, app_id, environment_id)
    references environments (organisation_id, app_id, id) on delete cascade
);
create index secrets_listing on secrets (environment_id, path, created_at, id);
-- Those of which the oldest versions go.
create index secrets_with_many_versions on secrets (id) where version > 100;
create index secrets_expiring on secrets (expires_at) where expires_at is not null;

-- Every state that a secret was in, its deletion too. They outlive it, and go with their environment.
create table secret_versions (
  secret_id uuid not null,
  version integer not null check (version > 0),
  organisation_id uuid not null,
  app_id uuid not null,
  environment_id uuid not null,
  event text not null constraint secret_versions_event check (event in ('created', 'updated', 'deleted', 'restored')),
  path text collate "C" not null,
  key text not null,
  key_digest bytea not null check (length(key_digest) = 32),
  value text not null,
  comment text not null,
  tags text[] not null,
  type text not null constraint secret_versions_type check (type in ('secret', 'sealed', 'config')),
  expires_at timestamptz,
  -- Who made it; a name, because a service account leaves no other trace.
  actor_type text not null constraint secret_versions_actor_type check (actor_type in ('user', 'service_account')),
  actor_id uuid not null,
  actor_name text not null,
  created_at timestamptz not null,
  primary key (secret_id, version),
  constraint secret_versions_environment foreign key (organisation_id, app_id, environment_id)
    references environments (organisation_id, app_id, id) on delete cascade
);
create index secret_versions_by_environment on secret_versions (environment_id, secret_id, version);
create index secret_versions_deleted on secret_versions (created_at) where event = 'deleted';

-- A member's own value of a secret. It goes with the secret, with the membership, and with the copy of the environment's
-- keys, which is there for as long as the member has access.
create table secret_overrides (
  secret_id uuid not null,
  principal_id uuid not null,
  organisation_id uuid not null,
  environment_id uuid not null,
  principal_type text not null generated always as ('member') stored,
  id uuid not null unique,
  value text not null,
  is_active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (secret_id, principal_id),
  constraint secret_overrides_secret foreign key (organisation_id, environment_id, secret_id)
    references secrets (organisation_id, environment_id, id) on delete cascade,
  constraint secret_overrides_member foreign key (organisation_id, principal_id, principal_type)
    references principals (organisation_id, id, type) on delete cascade,
  constraint secret_overrides_access foreign key (principal_id, environment_id)
    references environment_keys (principal_id, environment_id) on delete cascade
);
create index secret_overrides_by_principal on secret_overrides (principal_id, environment_id);

select watch_state('secrets');
select watch_state('secret_versions');
select watch_state('secret_overrides');
