-- What a deleted environment had as secrets goes in parts: what is little with the environment, the rest by the worker, as
-- a transaction that deletes hundreds of thousands of rows would take longer than it may. Nothing opens them in between:
-- the keys go with the environment.
create table deleted_environments (id uuid primary key);

-- By a trigger, because the release before this one deletes environments, too.
create function note_deleted_environments() returns trigger language plpgsql as $$
begin
  insert into deleted_environments select id from deleted on conflict do nothing;
  return null;
end $$;
create trigger environments_are_noted_when_deleted after delete on environments
  referencing old table as deleted for each statement execute function note_deleted_environments();

-- Whoever writes secrets holds the environment's row.
alter table secrets drop constraint secrets_environment;
alter table secret_versions drop constraint secret_versions_environment;
