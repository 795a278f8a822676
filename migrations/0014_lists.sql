-- Text as lists look for it and sort by it: NFKC, lower case, NFC, as name_key of roles and apps. By PostgreSQL itself, so
-- that names which the release before writes are found as well, and no name waits for a program to prepare it. Lower case
-- comes from a collation that knows all letters; the database's own may know those of ASCII alone.
do $$
declare
  folding text := (
    select format('collate pg_catalog.%I', collname) from pg_collation
    where collnamespace = 'pg_catalog'::regnamespace and collname in ('pg_c_utf8', 'und-x-icu')
      and collencoding in (-1, pg_char_to_encoding('UTF8'))
    order by collname = 'pg_c_utf8' desc limit 1);
begin
  execute format($f$
    create function searchable(text) returns text language sql immutable strict parallel safe as
    'select normalize(lower(normalize(btrim($1), nfkc) %s), nfc)' $f$, coalesce(folding, ''));
end $$;

-- Whoever has no name is sorted by the e-mail address. Cut: an index takes no text of any length, and two that begin alike
-- are told apart by their ids.
alter table users
  add column name_key text collate "C" not null generated always as (searchable(full_name)) stored,
  add column sort_name text collate "C" not null
    generated always as (left(searchable(coalesce(nullif(full_name, ''), email)), 64)) stored;
create index users_by_name on users (sort_name, id);

alter table service_accounts
  add column name_key text collate "C" not null generated always as (searchable(name)) stored;
create index service_accounts_by_name on service_accounts (organisation_id, name_key, id);

-- '-infinity' is never: an index and a cursor then have an order without nulls.
alter table members add column last_seen_at timestamptz not null default '-infinity';
update members m set last_seen_at = used.at
from (
  select id, max(at) as at from (
    select m.id, s.last_used_at as at from members m join sessions s on s.user_id = m.user_id where m.removed_at is null
    union all
    select t.principal_id, t.last_used_at from tokens t where t.last_used_at is not null
  ) uses group by id
) used
where m.id = used.id and m.removed_at is null;
create index members_by_last_seen on members (organisation_id, last_seen_at, id) where removed_at is null;
drop trigger state_version on members;
select watch_state('members', unless_only => '{last_seen_at}');

create index invites_by_expiry on invites (organisation_id, expires_at, id) where state = 'pending';

-- The holders of a role in a fixed order, and how many of each type there are.
create index principals_by_role_and_type on principals (organisation_id, role_id, type, id);
drop index principals_by_role;
