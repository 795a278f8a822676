-- Who an account is at an identity provider. `provider` is the provider's id in the configuration; issuer and subject are
-- what identifies a person there. They are compared byte by byte.
create table sso_identities (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  provider text not null,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  created_at timestamptz not null,
  constraint sso_identities_unique unique (issuer, subject),
  constraint sso_identities_one_per_provider unique (user_id, provider)
);

-- The sign-ins that have come back from their provider, by the hash of their state: each comes back once, whichever
-- replica it comes back to. Deleted when the state has expired.
create table sso_used_states (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index sso_used_states_expired on sso_used_states (expires_at);

-- Until when the next single sign-on with the account's verified address may link its identity. Used once.
alter table users add column link_allowed_until timestamptz;
