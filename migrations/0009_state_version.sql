-- The version of everything that an answer or an authentication may depend on: a new random value at every change, only
-- ever compared for equality. (A counter could come to the same number with another state after a fail-over.)
create table state_version (
  singleton boolean primary key default true check (singleton),
  version uuid not null
);
insert into state_version (version) values (gen_random_uuid());

-- The transactions under way that have changed something. Each row is deleted before its transaction commits, so that
-- nobody ever sees one, and none is left to be lost in a crash.
create unlogged table state_changes (
  transaction xid8 primary key
);

create function note_state_change() returns trigger language plpgsql as $$
begin
  insert into state_changes (transaction) values (pg_current_xact_id()) on conflict do nothing;
  return null;
end $$;

-- Once for a transaction, when it commits: the version's row is the last that it locks, so that no deadlock can arise,
-- and it is locked for the time of the commit alone. A change after that is noted again.
create function renew_state_version() returns trigger language plpgsql as $$
begin
  delete from state_changes where transaction = new.transaction;
  insert into state_version (version) values (gen_random_uuid())
    on conflict (singleton) do update set version = excluded.version;
  return null;
end $$;
create constraint trigger state_changes_renew_version after insert on state_changes
  deferrable initially deferred for each row execute function renew_state_version();
alter table state_changes enable always trigger state_changes_renew_version;

-- Has changes of a table renew the version. `unless_only` names columns that nothing remembered depends on: an update
-- of them alone doesn't count. `inserts` is false for a table whose new rows change nothing that was there before.
-- The triggers fire whoever makes the change, with session_replication_role = replica too.
create function watch_state(watched regclass, inserts boolean default true, unless_only text[] default '{}')
returns void language plpgsql as $$
declare
  events text := concat_ws(' or ', case when inserts then 'insert' end,
    case when unless_only = '{}' then 'update' end, 'delete', 'truncate');
begin
  execute format('create trigger state_version after %s on %s for each statement execute function note_state_change()',
    events, watched);
  execute format('alter table %s enable always trigger state_version', watched);
  if unless_only <> '{}' then
    -- Compared as a whole, so that a column that is added later counts.
    execute format('create trigger state_version_update after update on %1$s for each row
      when (to_jsonb(old) - %2$L::text[] is distinct from to_jsonb(new) - %2$L::text[])
      execute function note_state_change()', watched, unless_only);
    execute format('alter table %s enable always trigger state_version_update', watched);
  end if;
end $$;

select watch_state('schema_migrations');
select watch_state('deployment');
select watch_state('organisations');
select watch_state('roles');
select watch_state('users');
select watch_state('principals');
select watch_state('members');
select watch_state('service_accounts');
select watch_state('apps');
select watch_state('environments');
select watch_state('grants');
select watch_state('invites');
select watch_state('tokens', unless_only => '{last_used_at}');
-- Whether an account has a second factor decides what its sessions may do.
select watch_state('passkeys', unless_only => '{counter,last_used_at}');
select watch_state('totp_secrets', unless_only => '{last_step}');
-- What is unknown is never remembered: a new session or session token changes no answer that is.
select watch_state('sessions', inserts => false, unless_only => '{last_used_at}');
select watch_state('session_tokens', inserts => false);
