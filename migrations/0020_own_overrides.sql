-- A member's own values of an environment's secrets. With the secret's id: each is looked up by all three, and by the index
-- without it, all that the member has in the environment could be read for each secret.
create index secret_overrides_by_principal_and_secret on secret_overrides (principal_id, environment_id, secret_id);
drop index secret_overrides_by_principal;
