-- Of a secret the newest 100 versions are kept. A new one removes the one that is too old now, so that a secret which is
-- changed again and again takes no room from the versions of others. By the trigger that counts them, because the release
-- before this one writes versions, too.
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
    returning environment_id, secret_bytes(path, key, value, comment, tags) as bytes
  ), changes as (
    select environment_id, secret_bytes(path, key, value, comment, tags) as bytes from written
    union all
    select environment_id, -bytes from surplus
  )
  update environments e set versions_bytes = e.versions_bytes + c.bytes
  from (select environment_id, sum(bytes) as bytes from changes group by 1) c
  where e.id = c.environment_id;
  return null;
end $$;
