-- How many bytes a version of a secret counts: its texts, and 1 KiB for itself. So that an environment can't have so many
-- small versions that to seal them again, or to delete the oldest, takes too long.
create function version_bytes(path text, key text, value text, comment text, tags text[]) returns integer
language sql stable parallel safe as $$
  select 1024 + secret_bytes(path, key, value, comment, tags)
$$;

create or replace function count_version_bytes() returns trigger language plpgsql as $$
begin
  with surplus as (
    delete from secret_versions where ctid = any (array(
      select o.ctid from written w
      cross join lateral (
        -- There is at most one. The limit has each looked up by its key, whatever the statistics say.
        select v.ctid from secret_versions v where v.secret_id = w.secret_id and v.version = w.version - 100 limit 1
      ) o
      where w.version > 100))
    returning environment_id, version_bytes(path, key, value, comment, tags) as bytes
  ), changes as (
    select environment_id, version_bytes(path, key, value, comment, tags) as bytes from written
    union all
    select environment_id, -bytes from surplus
  )
  update environments e set versions_bytes = e.versions_bytes + c.bytes
  from (select environment_id, sum(bytes) as bytes from changes group by 1) c
  where e.id = c.environment_id;
  return null;
end $$;

-- The next change counts anew, or the worker.
update environments set versions_bytes = null;
