-- A change of access is told as its difference, of at most 1,000 ids each way; `app.created` counts the app's
-- environments, since whoever can open one of them reads it; a refusal to grant an environment belongs to it.

-- What is in one access and not in the other, as the entry of a change of access tells it.
create function audit_access_difference(these json, those json, word text) returns json language sql immutable as $$
  with ids as (
    select json_array_elements_text(app -> 'environments') as id from json_array_elements(these -> 'apps') as app
    except
    select json_array_elements_text(app -> 'environments') from json_array_elements(those -> 'apps') as app
  ), listed as (
    select id from ids order by id limit 1000
  )
  select json_build_object(
    word, coalesce((select json_agg(id order by id) from listed), '[]'::json),
    'total', (select count(*) from ids))
$$;

create function audit_app_values(app json) returns json language sql immutable as $$
  select (app::jsonb || jsonb_build_object('environments', json_array_length(app -> 'environments')))::json
$$;

create function audit_refused_environment(description text) returns text language sql immutable as $$
  select substring(description from '^You can''t grant environment "([0-9a-f-]{36})"')
$$;

-- The release before this one writes entries in the old form until it is gone: they are converted as they come.
create function convert_audit_entry() returns trigger language plpgsql as $$
begin
  if new.event_type = 'app.created' then
    if json_typeof(new.new_values -> 'environments') = 'array' then
      new.new_values := audit_app_values(new.new_values);
    end if;
  elsif new.event_type like '%.update\_refused' then
    new.environment_id := coalesce(new.environment_id, audit_refused_environment(new.description));
  elsif json_typeof(new.new_values -> 'apps') = 'array' then
    select audit_access_difference(new.old_values, new.new_values, 'revoked'),
      audit_access_difference(new.new_values, new.old_values, 'granted')
    into new.old_values, new.new_values;
  end if;
  return new;
end $$;

create function convert_audit_entries() returns void language sql as $$
  update audit_entries set
    old_values = case
      when event_type like '%.access\_changed' then audit_access_difference(old_values, new_values, 'revoked')
      else old_values end,
    new_values = case
      when event_type like '%.access\_changed' then audit_access_difference(new_values, old_values, 'granted')
      when event_type = 'app.created' then audit_app_values(new_values)
      else new_values end,
    environment_id = coalesce(environment_id, audit_refused_environment(description))
  where case
    when event_type in ('member.access_changed', 'service_account.access_changed')
      then json_typeof(new_values -> 'apps') = 'array'
    when event_type = 'app.created' then json_typeof(new_values -> 'environments') = 'array'
    when event_type in ('member.update_refused', 'service_account.update_refused')
      then environment_id is null and audit_refused_environment(description) is not null
    else false end
$$;

-- Nearly all are converted before the table is locked; then those that were written meanwhile.
select convert_audit_entries();
create trigger audit_entries_are_converted before insert on audit_entries for each row
  when (new.event_type in ('app.created', 'member.access_changed', 'service_account.access_changed',
    'member.update_refused', 'service_account.update_refused'))
  execute function convert_audit_entry();
select convert_audit_entries();
drop function convert_audit_entries();

-- One index for each filter: none of them reads entries that another filter would find.
create index audit_entries_by_event on audit_entries (organisation_id, event_type, timestamp desc, id desc);
create index audit_entries_by_resource_type on audit_entries (organisation_id, resource_type, timestamp desc, id desc);
create index audit_entries_by_resource_id on audit_entries (organisation_id, resource_id, timestamp desc, id desc);
drop index audit_entries_by_resource;

-- The refusals and failed sign-ins of the last minutes: those that a further one may join.
create index audit_entries_coalescing on audit_entries (organisation_id, actor_id, timestamp) where coalesce_key is not null;
