-- Passkeys: a second factor, and a way to sign in of their own. A browser offers one only to the host it was made for
-- (the RP id), so the id of a credential is unique there.
create table passkeys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  rp_id text collate "C" not null,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  constraint passkeys_credential_unique unique (rp_id, credential_id)
);
create index passkeys_by_user on passkeys (user_id, created_at, id);

-- The secret of an account's authenticator app, wrapped for the server. It counts once a code of it was entered
-- (confirmed_at). last_step is the newest time step whose code was used: neither it nor an older one is accepted again.
create table totp_secrets (
  user_id uuid primary key references users (id) on delete cascade,
  wrapped_secret text not null,
  last_step integer,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  check ((confirmed_at is null) = (last_step is null))
);

-- Recovery codes that were not used yet; only their hash is known. A used one is deleted.
create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  hash bytea not null check (length(hash) = 32),
  primary key (user_id, hash)
);

-- A sign-in whose password was right, and which waits for the second factor. It is bound to one browser, and to the
-- password that was checked.
create table second_factor_tickets (
  hash bytea primary key check (length(hash) = 32),
  user_id uuid not null references users (id) on delete cascade,
  browser_hash bytea not null check (length(browser_hash) = 32),
  password_digest bytea not null check (length(password_digest) = 32),
  guesses integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index second_factor_tickets_expired on second_factor_tickets (expires_at);

-- Challenges for passkeys that were answered rightly, until they expire: each counts once. Those that are not answered
-- yet are not stored: they are HMACs under SECRET_KEY.
create table used_challenges (
  hash bytea primary key check (length(hash) = 32),
  expires_at timestamptz not null
);
create index used_challenges_expired on used_challenges (expires_at);
