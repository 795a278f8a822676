-- Which environment a change of access named, and when: a row for each. An index of the ids within the entries finds all
-- that name one, whatever a page asks for; of millions, that takes longer than a read may. What else a filter of the audit
-- log asks for is here as well, so that the entries of a page are all that is read. Without foreign keys: the log outlives
-- environments, and rows go after their entries, in parts.
create table audit_access_changes (
  environment_id uuid not null,
  timestamp timestamptz not null,
  entry_id uuid not null,
  actor_id uuid,
  resource_id uuid,
  by_user boolean not null,
  of_member boolean not null,
  primary key (environment_id, timestamp, entry_id)
);
-- What is deleted goes by whole days. By the time itself it could be taken for the order of a page, and read over all other
-- environments.
create index audit_access_changes_by_day on audit_access_changes (((timestamp at time zone 'UTC')::date));

create function audit_uuid(id text) returns uuid language plpgsql immutable as $$
begin
  return id::uuid;
exception when invalid_text_representation then
  return null;
end $$;

create function name_environments_of_access_change() returns trigger language plpgsql as $$
declare
  named text[] := audit_access_environments(new.old_values, new.new_values);
  resource uuid := audit_uuid(new.resource_id);
  places uuid[];
begin
  -- All at once: looking at each id takes longer than storing it.
  begin
    places := named::uuid[];
  exception when invalid_text_representation then
    places := array(select audit_uuid(id) from unnest(named) as id);
  end;
  insert into audit_access_changes
  select place, new.timestamp, new.id, new.actor_id, resource, new.actor_type = 'user',
    new.event_type = 'member.access_changed'
  from unnest(places) as place
  where place is not null
  on conflict do nothing;
  return null;
end $$;
create function name_environments_of_access_changes() returns void language sql as $$
  insert into audit_access_changes
  select place, timestamp, id, actor_id, audit_uuid(resource_id), actor_type = 'user', event_type = 'member.access_changed'
  from audit_entries e, unnest(audit_access_environments(old_values, new_values)) as named, audit_uuid(named) as place
  where event_type in ('member.access_changed', 'service_account.access_changed') and place is not null
    and not exists (select 1 from audit_access_changes c where c.entry_id = e.id)
  on conflict do nothing
$$;
-- Nearly all are named before the table is locked; then those that were written meanwhile.
select name_environments_of_access_changes();
create trigger audit_entries_name_environments after insert on audit_entries for each row
  when (new.event_type in ('member.access_changed', 'service_account.access_changed'))
  execute function name_environments_of_access_change();
select name_environments_of_access_changes();
drop function name_environments_of_access_changes();
drop index audit_entries_by_accessed_environment;
