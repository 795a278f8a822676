-- What expires, in the order in which it is looked for: in the organisation, and in one environment of those who can't
-- open all. Tokens are kept for a week after they expire: the index of that is there already.
create index secrets_expiring on secrets (organisation_id, expires_at) where expires_at is not null;
create index secrets_expiring_by_environment on secrets (environment_id, expires_at) where expires_at is not null;

-- The list of access of those who hold a role, in its order.
create index principals_by_role_and_id on principals (organisation_id, role_id, id);

-- A refusal about an environment names its app as well, as every other entry does: where the environment still exists.
-- By a trigger, because the release before this one writes such entries until it is gone.
create function audit_app_of(environment text) returns text language plpgsql stable as $$
begin
  return (select app_id::text from environments where id = environment::uuid);
exception when invalid_text_representation then
  return null;
end $$;
create function name_app_of_audit_entry() returns trigger language plpgsql as $$
begin
  new.app_id := audit_app_of(new.environment_id);
  return new;
end $$;
create function name_apps_of_audit_entries() returns void language sql as $$
  update audit_entries a set app_id = e.app_id::text
  from environments e where a.app_id is null and a.environment_id = e.id::text
$$;
-- Nearly all are changed before the table is locked; then those that were written meanwhile.
select name_apps_of_audit_entries();
create trigger audit_entries_name_their_app before insert on audit_entries for each row
  when (new.app_id is null and new.environment_id is not null)
  execute function name_app_of_audit_entry();
select name_apps_of_audit_entries();
drop function name_apps_of_audit_entries();

-- The environments that a change of access granted or revoked, of those that its entry names.
create function audit_access_environments(old_values json, new_values json) returns text[] language sql immutable as $$
  select coalesce(array_agg(id), '{}') from (
    select json_array_elements_text(
      case when json_typeof(new_values -> 'granted') = 'array' then new_values -> 'granted' else '[]' end) as id
    union all
    select json_array_elements_text(
      case when json_typeof(old_values -> 'revoked') = 'array' then old_values -> 'revoked' else '[]' end)
  ) ids
$$;

-- The audit log by app and by environment, alone and with the filter that finds most of what happens there; changes of
-- access by the environments that they name; and refusals, which are few.
create index audit_entries_by_app on audit_entries (organisation_id, app_id, timestamp desc, id desc)
  where app_id is not null;
create index audit_entries_by_app_and_event on audit_entries (organisation_id, app_id, event_type, timestamp desc, id desc)
  where app_id is not null;
create index audit_entries_by_environment on audit_entries (organisation_id, environment_id, timestamp desc, id desc)
  where environment_id is not null;
create index audit_entries_by_environment_and_event
  on audit_entries (organisation_id, environment_id, event_type, timestamp desc, id desc)
  where environment_id is not null;
create index audit_entries_by_accessed_environment
  on audit_entries using gin (audit_access_environments(old_values, new_values))
  where event_type in ('member.access_changed', 'service_account.access_changed');
create index audit_entries_refused on audit_entries (organisation_id, timestamp desc, id desc)
  where event_type like '%\_refused';
