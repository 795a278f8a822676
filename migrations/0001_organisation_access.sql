-- One row: what this deployment as a whole has decided.
create table deployment (
  singleton boolean primary key default true check (singleton),
  organisation_id uuid unique,
  server_key_id text
);
insert into deployment default values;

create table organisations (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
alter table deployment add foreign key (organisation_id) references organisations (id);

-- name_key is computed by the program (NFKC, lower case, NFC): no rule depends on a locale.
create table roles (
  id uuid primary key,
  organisation_id uuid not null references organisations (id),
  kind text not null check (kind in ('owner', 'admin', 'manager', 'developer', 'service', 'custom')),
  position smallint not null generated always as (
    case kind when 'owner' then 0 when 'admin' then 1 when 'manager' then 2 when 'developer' then 3 when 'service' then 4 else 5 end
  ) stored,
  name text not null,
  name_key text collate "C" not null,
  description text,
  color text not null default '',
  permissions json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organisation_id, id, kind),
  constraint roles_name_unique unique (organisation_id, name_key),
  check ((kind = 'custom') = (permissions is not null))
);
create unique index roles_default_unique on roles (organisation_id, kind) where kind <> 'custom';
create index roles_listing on roles (organisation_id, position, created_at, id);

create table users (
  id uuid primary key,
  email text not null,
  email_key text collate "C" not null constraint users_email_unique unique,
  full_name text not null default '',
  password_hash text,
  email_verified_at timestamptz,
  -- Registered where mail could be sent: no sign-in until the address is verified. Apart from the time above, so that
  -- an account that was active without verification stays active and is never taken for verified.
  verification_required boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- A principal is what can hold a role, keys, grants and tokens: a live membership or a service account, under its id.
-- It is deleted when a member is removed, and everything it held goes with it.
create table principals (
  id uuid primary key,
  organisation_id uuid not null references organisations (id),
  type text not null check (type in ('member', 'service_account')),
  role_id uuid not null,
  role_kind text not null,
  identity_key text not null,
  wrapped_private_key text not null,
  unique (organisation_id, id),
  unique (organisation_id, id, type),
  constraint principals_role_held foreign key (organisation_id, role_id, role_kind) references roles (organisation_id, id, kind),
  constraint service_accounts_without_global_access check (type = 'member' or role_kind not in ('owner', 'admin'))
);
create unique index principals_one_owner on principals (organisation_id) where role_kind = 'owner';
create index principals_by_role on principals (organisation_id, role_id);

create function refuse_organisation_without_owner() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from principals where organisation_id = old.organisation_id and role_kind = 'owner') then
    raise exception 'organisation % would have no owner', old.organisation_id
      using errcode = 'integrity_constraint_violation', constraint = 'organisations_have_an_owner';
  end if;
  return null;
end $$;
create constraint trigger organisations_keep_their_owner after update of role_kind or delete on principals
  deferrable initially deferred for each row when (old.role_kind = 'owner') execute function refuse_organisation_without_owner();

create function refuse_new_organisation_without_owner() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from principals where organisation_id = new.id and role_kind = 'owner') then
    raise exception 'organisation % has no owner', new.id
      using errcode = 'integrity_constraint_violation', constraint = 'organisations_have_an_owner';
  end if;
  return null;
end $$;
create constraint trigger organisations_begin_with_an_owner after insert on organisations
  deferrable initially deferred for each row execute function refuse_new_organisation_without_owner();

-- A removed member stays as history without a principal; role_name says what it held last.
create table members (
  id uuid primary key,
  organisation_id uuid not null references organisations (id),
  user_id uuid not null references users (id),
  role_name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  removed_at timestamptz,
  principal_id uuid generated always as (case when removed_at is null then id end) stored,
  principal_type text not null generated always as ('member') stored,
  foreign key (organisation_id, principal_id, principal_type) references principals (organisation_id, id, type),
  check ((removed_at is null) = (role_name is null))
);
create unique index members_one_live_membership on members (user_id) where removed_at is null;
create index members_listing on members (organisation_id, created_at, id) where removed_at is null;
create index members_by_principal on members (principal_id);

create table service_accounts (
  id uuid primary key,
  organisation_id uuid not null references organisations (id),
  name text not null,
  principal_type text not null generated always as ('service_account') stored,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (organisation_id, id, principal_type) references principals (organisation_id, id, type) on delete cascade
);
create index service_accounts_listing on service_accounts (organisation_id, created_at, id);

create table apps (
  id uuid primary key,
  organisation_id uuid not null references organisations (id),
  name text not null,
  name_key text collate "C" not null,
  description text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organisation_id, id),
  constraint apps_name_unique unique (organisation_id, name_key)
);
create index apps_listing on apps (organisation_id, created_at, id);

-- The seed and the salt are wrapped for the server itself.
create table environments (
  id uuid primary key,
  organisation_id uuid not null,
  app_id uuid not null,
  name text not null,
  name_key text collate "C" not null,
  env_type text not null check (env_type in ('dev', 'staging', 'prod', 'custom')),
  index integer not null check (index >= 0),
  public_key text not null,
  wrapped_seed text not null,
  wrapped_salt text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organisation_id, app_id, id),
  constraint environments_name_unique unique (app_id, name_key),
  constraint environments_index_unique unique (app_id, index),
  foreign key (organisation_id, app_id) references apps (organisation_id, id) on delete cascade
);
create index environments_listing on environments (organisation_id, app_id, index);

-- What was granted explicitly. Global access is never stored as grants: the role implies it.
create table grants (
  organisation_id uuid not null,
  principal_id uuid not null,
  app_id uuid not null,
  environment_id uuid not null,
  created_at timestamptz not null,
  primary key (principal_id, environment_id),
  constraint grants_principal foreign key (organisation_id, principal_id) references principals (organisation_id, id) on delete cascade,
  constraint grants_environment foreign key (organisation_id, app_id, environment_id) references environments (organisation_id, app_id, id) on delete cascade
);
create index grants_by_environment on grants (organisation_id, app_id, environment_id);

-- The copies of environment keys, each wrapped for one principal: they follow from roles and grants.
create table environment_keys (
  organisation_id uuid not null,
  principal_id uuid not null,
  app_id uuid not null,
  environment_id uuid not null,
  wrapped_seed text not null,
  wrapped_salt text not null,
  created_at timestamptz not null,
  primary key (principal_id, environment_id),
  foreign key (organisation_id, principal_id) references principals (organisation_id, id) on delete cascade,
  foreign key (organisation_id, app_id, environment_id) references environments (organisation_id, app_id, id) on delete cascade
);
create index environment_keys_by_environment on environment_keys (organisation_id, app_id, environment_id);

-- Access tokens of members and service accounts; only their SHA-256 is known.
create table tokens (
  id uuid primary key,
  organisation_id uuid not null,
  principal_id uuid not null,
  name text not null,
  hash bytea not null unique check (length(hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  constraint tokens_principal foreign key (organisation_id, principal_id) references principals (organisation_id, id) on delete cascade
);
create index tokens_by_principal on tokens (principal_id, created_at, id);
create index tokens_expired on tokens (expires_at) where expires_at is not null;

-- A sign-in: the cookie's hash, and the short-lived bearers issued under it.
create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  cookie_hash bytea not null unique check (length(cookie_hash) = 32),
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_by_user on sessions (user_id, created_at, id);
create index sessions_expired on sessions (expires_at);
create table session_tokens (
  hash bytea primary key check (length(hash) = 32),
  session_id uuid not null references sessions (id) on delete cascade,
  expires_at timestamptz not null
);
create index session_tokens_by_session on session_tokens (session_id);
create index session_tokens_expired on session_tokens (expires_at);

-- A closed invite holds no role, so that it never stands in the way of the role's deletion.
create table invites (
  id uuid primary key,
  organisation_id uuid not null references organisations (id),
  email text not null,
  email_key text collate "C" not null,
  role_id uuid,
  role_kind text,
  state text not null check (state in ('pending', 'accepted', 'cancelled', 'expired')),
  nonce bytea not null,
  invited_by uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  closed_at timestamptz,
  constraint invites_role_held foreign key (organisation_id, role_id, role_kind) references roles (organisation_id, id, kind),
  foreign key (organisation_id, invited_by) references principals (organisation_id, id) on delete set null (invited_by),
  check ((state = 'pending') = (closed_at is null)),
  check ((state = 'pending') = (role_id is not null) and (role_id is null) = (role_kind is null)),
  constraint invites_without_global_access check (role_kind not in ('owner', 'admin'))
);
create unique index invites_one_live on invites (organisation_id, email_key) where state = 'pending';
create index invites_by_role on invites (organisation_id, role_id) where role_id is not null;
create index invites_by_sender on invites (organisation_id, invited_by) where invited_by is not null;
create index invites_listing on invites (organisation_id, created_at, id) where state = 'pending';

-- Links sent by mail: the token in a link is an HMAC over the row's id and nonce and stands nowhere.
create table email_links (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  purpose text not null check (purpose in ('verify-email', 'reset-password')),
  nonce bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index email_links_by_user on email_links (user_id, purpose);
create index email_links_expired on email_links (expires_at);

-- Counters of sign-in attempts: may be lost in a crash, never in a cache's eviction.
create unlogged table sign_in_attempts (
  key text collate "C" not null,
  window_start timestamptz not null,
  expires_at timestamptz not null,
  count integer not null,
  primary key (key, window_start)
);
create index sign_in_attempts_expired on sign_in_attempts (expires_at);

-- No foreign keys but the organisation's: an entry outlives what it tells of.
create table audit_entries (
  id uuid primary key,
  organisation_id uuid not null references organisations (id),
  event_type text not null,
  resource_type text not null,
  resource_id text,
  app_id text,
  environment_id text,
  actor_type text not null check (actor_type in ('user', 'service_account')),
  actor_id uuid not null,
  actor_metadata json not null,
  resource_metadata json not null,
  old_values json,
  new_values json,
  description text not null,
  ip_address text,
  user_agent text,
  request_id text,
  count integer not null default 1 check (count > 0),
  coalesce_key bytea unique,
  timestamp timestamptz not null
);
create index audit_entries_listing on audit_entries (organisation_id, timestamp desc, id desc);
create index audit_entries_by_resource on audit_entries (organisation_id, resource_type, resource_id, timestamp desc, id desc);
create index audit_entries_by_actor on audit_entries (organisation_id, actor_id, timestamp desc, id desc);
