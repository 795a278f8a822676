-- Tokens in the format that Phase's clients take. Programs that know none of these columns keep creating tokens in
-- Keyward's own format. The key share is ciphertext for the unwrap key, which is in the token's text and nowhere else.
alter table tokens
  add column format text not null default 'keyward' constraint tokens_format check (format in ('keyward', 'phase')),
  add column wrapped_key_share text,
  add constraint tokens_wrapped_key_share check ((format = 'phase') = (wrapped_key_share is not null)),
  add constraint tokens_wrapped_key_share_form check (wrapped_key_share ~ '^[0-9a-f]{208}$');

-- Whether the server may open the secrets of an app for a request.
alter table apps add column sse_enabled boolean not null default true;

-- When a secret of the environment last changed; null until one has. Answers depend on it, and so, as every column of
-- this table, it renews the version of the state.
alter table environments add column secrets_changed_at timestamptz;

-- A list of key copies may be answered from memory.
select watch_state('environment_keys');
