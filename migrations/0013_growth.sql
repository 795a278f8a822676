-- Two filters of the audit log together: a frequent actor and a frequent event may be in no entry together. First, because
-- they take longest: what the others lock is locked for a moment.
create index audit_entries_by_actor_and_event on audit_entries (organisation_id, actor_id, event_type, timestamp desc, id desc);
create index audit_entries_by_actor_and_resource_type on audit_entries (organisation_id, actor_id, resource_type, timestamp desc, id desc);
create index audit_entries_by_actor_type_and_event on audit_entries (organisation_id, actor_type, event_type, timestamp desc, id desc);
create index audit_entries_by_actor_type_and_resource_type on audit_entries (organisation_id, actor_type, resource_type, timestamp desc, id desc);

-- The list of access reads one page: of principals with global access and all environments, and of grants in the order of
-- the list, also those of one app or environment.
create index principals_with_global_access on principals (organisation_id, id) where role_kind in ('owner', 'admin');
create index environments_by_id on environments (organisation_id, id);
create index grants_by_app on grants (organisation_id, app_id, principal_id, environment_id);
create index grants_by_environment_and_principal on grants (organisation_id, app_id, environment_id, principal_id);
drop index grants_by_environment;

-- What operators list, and who was ever a member.
create index users_listing on users (created_at, id);
create index members_by_user on members (user_id);

-- A secret by its key, at any path. The index of the list is gone: for one key of a path the planner took it, and read the
-- whole path. The unique index of path and key finds a path as well.
create index secrets_by_key on secrets (environment_id, key_digest);
-- Secrets of whose expiry nobody was told yet: those that expired long ago are many.
create index secrets_with_untold_expiry on secrets (expires_at) where reminded_expiry is distinct from expires_at;
drop index secrets_listing;
drop index secrets_expiring;
