-- A member's own values of an environment's secrets. With the secret's id: each is looked up by all three, and by the index
-- without it, all that the member has in the environment could be read for each secret.
create index secret_overrides_by_principal_and_secret on secret_overrides (principal_id, environment_id, secret_id);
drop index secret_overrides_by_principal;

-- The overrides of an environment are only counted. As text, so that nothing else finds this index: by one of the id, each
-- key copy and each secret that is deleted may read all overrides of the environment, where the planner's statistics know
-- nothing of it.
create index secret_overrides_counted on secret_overrides ((environment_id::text));
drop index secret_overrides_by_environment;
