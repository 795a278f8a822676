-- How many bytes a secret, or a version of one, takes as it is stored, sealed. Reads no text: only how long each is.
create function secret_bytes(path text, key text, value text, comment text, tags text[]) returns integer
language sql stable parallel safe as $$
  select octet_length(path) + octet_length(key) + octet_length(value) + octet_length(comment)
    + octet_length(array_to_string(tags, ','))
$$;

-- How many bytes the versions of an environment's secrets take at most: what was written since they were counted is
-- added, what was deleted since is not taken off, so that whoever deletes versions needs no lock of the environment.
-- Null, as in environments that were there before: not counted yet.
alter table environments add column versions_bytes bigint;
alter table environments alter column versions_bytes set default 0;

-- By a trigger, because the release before this one writes versions, too. Whoever writes them holds the environment's row.
create function count_version_bytes() returns trigger language plpgsql as $$
begin
  update environments e set versions_bytes = e.versions_bytes + w.bytes
  from (
    select environment_id, sum(secret_bytes(path, key, value, comment, tags)) as bytes from written group by 1
  ) w
  where e.id = w.environment_id;
  return null;
end $$;
create trigger secret_versions_are_counted after insert on secret_versions
  referencing new table as written for each statement execute function count_version_bytes();
