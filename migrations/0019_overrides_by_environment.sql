-- The overrides of an environment are counted with each change of its secrets. With the secret's id: each secret that is
-- deleted has its overrides looked up by all columns of the foreign key, and where there are no statistics, the planner
-- takes a bitmap of the environment's and one of the secret's.
create index secret_overrides_by_environment on secret_overrides (environment_id, secret_id);
